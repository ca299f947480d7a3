// Loaded into a process before its program (`node --require`, which workers also follow). The time of day in JavaScript
// is off by the milliseconds in the file that CLOCK_JUMP_FILE names. Timers are not affected, as when a machine's clock
// is set.

import { readFileSync } from "node:fs";

const file = process.env.CLOCK_JUMP_FILE ?? "";
const lookEveryMs = 50;
const realNow = Date.now;
let offsetMs = 0;

function look(): void {
  try {
    offsetMs = Number(readFileSync(file, "utf8"));
  } catch {
    offsetMs = 0;
  }
}

look();
setInterval(look, lookEveryMs).unref();
Date.now = () => realNow() + offsetMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget),
  apply: (target) => new target(target.now()).toString(),
});
