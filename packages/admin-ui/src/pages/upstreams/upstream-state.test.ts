import { expect, test } from "vitest";
import type { Upstream } from "../../api/upstreams.ts";
import { upstreamState } from "./upstream-state.ts";

const idle: Upstream = {
  ...{ address: "a:80", num_requests: 0, fails: 0, healthy: true, latency_ms: null },
  ...{ last_response: null, last_error: null, last_error_time: null, active_checks: [] },
};
const check = { check: "/", healthy: true, checked: true, against: 0 };

test.each<[string, Partial<Upstream>, string]>([
  ["nobody asked it", {}, "unknown: not checked"],
  [
    "its first check has no outcome",
    { active_checks: [{ ...check, checked: false }] },
    "unknown: not checked yet",
  ],
  ["a check passed", { active_checks: [check] }, "good: healthy"],
  [
    "one of two checks has no outcome",
    { active_checks: [check, { ...check, checked: false }] },
    "unknown: not checked yet",
  ],
  [
    "a check failed, fewer than are needed",
    { active_checks: [{ ...check, against: 1 }] },
    "warning: last check failed",
  ],
  ["it answered a request", { last_response: "2026-11-21T14:00:00Z" }, "good: answers"],
  ["requests failed", { fails: 2, last_response: "2026-11-21T14:00:00Z" }, "warning: failed lately"],
  [
    "a check turned it down",
    { healthy: false, active_checks: [{ ...check, healthy: false }] },
    "bad: unhealthy",
  ],
  [
    "one of two checks turned it down",
    { healthy: false, active_checks: [check, { ...check, healthy: false }] },
    "bad: fails 1 of 2 checks",
  ],
])("%s", (_, facts, expected) => {
  const { state, text } = upstreamState({ ...idle, ...facts });
  expect(`${state}: ${text}`).toBe(expected);
});
