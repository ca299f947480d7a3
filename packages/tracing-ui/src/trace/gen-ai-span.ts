import type { ApiSpan } from "./trace-schema.ts";

/** Prefixes of the attributes of OpenTelemetry, OpenLLMetry, OpenInference and Traceloop. */
const marks = ["gen_ai.", "llm.", "openinference.", "traceloop."];

/** True when a span has attributes about a model, an agent or a tool. */
export function isGenAi({ tags }: Pick<ApiSpan, "tags">): boolean {
  return (tags ?? []).some(({ key }) => marks.some((mark) => key.startsWith(mark)));
}
