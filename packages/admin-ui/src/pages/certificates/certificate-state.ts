import type { Certificate } from "../../api/certificates.ts";
import { awayText } from "../../components/time-left.ts";

/** Milliseconds of a day. */
const dayMs = 86_400_000;
/** A certificate without automatic renewal is marked this many milliseconds before its expiry. */
const noticeMs = 14 * dayMs;

/**
 * State of a certificate. A managed certificate warns only when its renewal is overdue by half of the time from the
 * renewal to the expiry. Other certificates warn two weeks before their expiry.
 * @param now milliseconds since 1970
 */
export function certificateState(
  { not_before, not_after, managed, renew_at }: Certificate,
  now: number,
): { state: "good" | "warning" | "bad"; text: string } {
  const left = Date.parse(not_after) - now;
  if (left <= 0) {
    return { state: "bad", text: `ended ${awayText(left)}` };
  }
  if (Date.parse(not_before) > now) {
    return { state: "bad", text: "not valid yet" };
  }
  if (managed && renew_at !== null) {
    // The renewal is overdue: it fails, or the server was suspended.
    const late = now - Date.parse(renew_at) > (Date.parse(not_after) - Date.parse(renew_at)) / 2;
    return late
      ? { state: "warning", text: `renewal is late, ends ${awayText(left)}` }
      : { state: "good", text: `ends ${awayText(left)}` };
  }
  return { state: left < noticeMs ? "warning" : "good", text: `ends ${awayText(left)}` };
}
