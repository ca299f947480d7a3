// Loaded into a process before its program (`node --require`, which also applies to workers): JavaScript then sees the
// time of the soak's spans. Timers are not changed.

import { spanClock } from "./span-clock.ts";

const { SOAK_CLOCK_END_MS, SOAK_CLOCK_SPEED } = process.env;
Date.now = spanClock(Number(SOAK_CLOCK_END_MS), Number(SOAK_CLOCK_SPEED), Date.now).nowMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget),
  apply: (target) => new target(target.now()).toString(),
});
