import type { ApiSpan } from "./trace-schema.ts";

const marks = ["gen_ai.", "llm.", "openinference.", "traceloop."];

/** Whether a span says something about a model, an agent or a tool. */
export function isGenAi({ tags }: Pick<ApiSpan, "tags">): boolean {
  return (tags ?? []).some(({ key }) => marks.some((mark) => key.startsWith(mark)));
}
