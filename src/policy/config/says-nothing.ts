/** An empty cordon.toml, or one in which everything is commented out, is as good as none. */
export const saysNothing = (text: string) => text.split('\n').every((line) => /^\s*(#|$)/.test(line));
