// What a program does with a database: logs in, asks with parameters, and gives up a query that takes too long.
import pg from 'pg';

const settings = {
  host: process.env.DATABASE_HOST,
  user: process.env.DATABASE_USER,
  database: 'postgres',
  password: process.env.PGPASSWORD,
  ssl: { rejectUnauthorized: true },
};
const pool = new pg.Pool({ ...settings, max: 2 });
const { rows } = await pool.query('SELECT current_user AS name, $1::int + 1 AS sum', [41]);
console.log(rows[0].name, rows[0].sum);
const [client, other] = [await pool.connect(), await pool.connect()];
const { rows: own } = await client.query('SELECT pg_backend_pid() AS pid');
let isOver = false;
const slow = client
  .query('SELECT pg_sleep(60)')
  .catch((error) => error.code)
  .finally(() => {
    isOver = true;
  });
// What arrives before the query has begun ends nothing.
while (!isOver) await other.query('SELECT pg_cancel_backend($1)', [own[0].pid]);
console.log(await slow);
for (const one of [client, other]) one.release();
await pool.end();
