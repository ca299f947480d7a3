import type { Upstream } from "../../api/upstreams.ts";
import type { State } from "../../components/state-mark.tsx";

/** State of an upstream. It is healthy only after a passed check, or a response to a request. */
export function upstreamState({ healthy, fails, active_checks, last_response }: Upstream): {
  state: State;
  text: string;
} {
  if (!healthy) {
    const bad = active_checks.filter((check) => !check.healthy).length;
    const text = bad < active_checks.length ? `fails ${bad} of ${active_checks.length} checks` : "unhealthy";
    return { state: "bad", text };
  }
  if (fails > 0) {
    return { state: "warning", text: "failed lately" };
  }
  if (active_checks.length > 0 && active_checks.every(({ checked }) => checked)) {
    return active_checks.some(({ against }) => against > 0)
      ? { state: "warning", text: "last check failed" }
      : { state: "good", text: "healthy" };
  }
  if (last_response !== null) {
    return { state: "good", text: "answers" };
  }
  return { state: "unknown", text: active_checks.length > 0 ? "not checked yet" : "not checked" };
}
