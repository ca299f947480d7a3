import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { spanClock } from "./span-clock.ts";

const hourMs = 3_600_000;

test("passes twelve days in an hour, and is right at its end and after it", () => {
  const end = Date.parse("2026-11-22T06:00:00Z");
  let machine = 0;
  const clock = spanClock(end, 288, () => machine);
  const before = (ms: number) => {
    machine = end - ms;
    return new Date(clock.nowMs()).toISOString();
  };
  expect(before(hourMs)).toBe("2026-11-10T06:00:00.000Z");
  expect(before((hourMs / 12) * 11)).toBe("2026-11-11T06:00:00.000Z");
  expect(before(0)).toBe("2026-11-22T06:00:00.000Z");
  expect(before(-1_000)).toBe("2026-11-22T06:00:01.000Z");
});

test("is the machine's at speed 1", () => {
  expect(spanClock(1_000, 1, () => 5).nowMs()).toBe(5);
});

test("a process that it is loaded into sees it", () => {
  const preload = fileURLToPath(new URL("fast-clock.ts", import.meta.url));
  const program = "console.log(JSON.stringify([Date.now(), new Date().getTime(), new Date(5).getTime()]))";
  const env = {
    ...process.env,
    ...{ SOAK_CLOCK_END_MS: String(Date.now() + hourMs), SOAK_CLOCK_SPEED: "1000000" },
  };
  const seen = execFileSync(process.execPath, ["--require", preload, "-e", program], { env });
  const [now, date, fixed] = JSON.parse(String(seen)) as number[];
  expect([(now ?? 0) < Date.now() - hourMs * 10_000, (date ?? 0) < Date.now() - hourMs * 10_000]).toEqual([
    true,
    true,
  ]);
  expect(fixed).toBe(5);
});
