import { expect, test } from "vitest";
import { certificateState } from "./certificate-state.ts";

const day = 86_400_000;
const now = Date.parse("2026-11-21T12:00:00Z");
const at = (days: number) => new Date(now + days * day).toISOString();
const certificate = {
  names: ["a.example"],
  issuer: "CA",
  serial: "1",
  fingerprint: "AA",
  key_type: "ec",
  tags: [],
  not_before: at(-60),
};

test.each([
  ["good for long", { not_after: at(30), managed: true, renew_at: at(10) }, "good", "ends in 30 days"],
  ["due for renewal", { not_after: at(29), managed: true, renew_at: at(-1) }, "good", "ends in 29 days"],
  [
    "late",
    { not_after: at(5), managed: true, renew_at: at(-25) },
    "warning",
    "renewal is late, ends in 5 days",
  ],
  ["short by nature", { not_after: at(0.2), managed: true, renew_at: at(0.1) }, "good", "ends in 4 hours"],
  ["by hand, soon over", { not_after: at(13), managed: false, renew_at: null }, "warning", "ends in 13 days"],
  ["by hand, for long", { not_after: at(90), managed: false, renew_at: null }, "good", "ends in 90 days"],
  ["over", { not_after: at(-3), managed: false, renew_at: null }, "bad", "ended 3 days ago"],
  [
    "not begun",
    { not_before: at(1), not_after: at(9), managed: false, renew_at: null },
    "bad",
    "not valid yet",
  ],
])("%s", (_, own, state, text) => {
  expect(certificateState({ ...certificate, ...own }, now)).toEqual({ state, text });
});
