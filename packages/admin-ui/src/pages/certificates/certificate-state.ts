import type { Certificate } from "../../api/certificates.ts";
import { awayText } from "../../components/time-left.ts";

/** Milliseconds of a day. */
const dayMs = 86_400_000;
/** A manually renewed certificate is marked this long before its end. */
const noticeMs = 14 * dayMs;

/**
 * State of a certificate. Managed certificates warn only when their renewal is overdue by half of the
 * time that was left; the others warn two weeks before their end.
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
    // Past its time by a while: the renewals fail, or the server slept.
    const late = now - Date.parse(renew_at) > (Date.parse(not_after) - Date.parse(renew_at)) / 2;
    return late
      ? { state: "warning", text: `renewal is late, ends ${awayText(left)}` }
      : { state: "good", text: `ends ${awayText(left)}` };
  }
  return { state: left < noticeMs ? "warning" : "good", text: `ends ${awayText(left)}` };
}
