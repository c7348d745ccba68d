// What is assumed about people and their commands, in one place, and how an office day goes.

/** Nobody has measured these for us; all figures below hang on them. */
export const ASSUMED = {
  cores: 4,
  nodeMib: 16 * 1024,
  /** Of all users, at the busiest minute. */
  activeAtPeak: 0.3,
  /** Calls a minute of an active user: an agent that works through its steps. */
  callsPerMinute: 6,
  /** Some use it far more than others: the standard deviation of the logarithm. */
  uneven: 1,
  /** Processor time of the command itself, besides what Cordon costs, and how long it takes when nothing is in its way. */
  commandMs: 150,
  commandSeconds: 1.5,
  /** Sessions are kept for half an hour after the last call. */
  sessionsPerUser: 1.5,
  idleSeconds: 1800,
  /** How long a user works without a break that is longer than that. */
  stretchSeconds: 1200,
};

/** The same numbers each time. */
export function numbers(state) {
  let now = state;
  return () => {
    now = (Math.imul(now, 1664525) + 1013904223) >>> 0;
    return (now + 0.5) / 2 ** 32;
  };
}
const random = numbers(42);
export const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
export function poisson(mean) {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
  let [count, left] = [0, Math.exp(-mean)];
  for (let product = random(); product > left; product *= random()) count++;
  return count;
}

/** How much of the peak there is at this hour: up to ten, a dip at noon, down after four. */
export function office(hour) {
  const hump = (at, width) => Math.exp(-(((hour - at) / width) ** 2));
  return Math.min(1, 0.02 + hump(10.5, 1.6) + 0.95 * hump(14.7, 1.9));
}
