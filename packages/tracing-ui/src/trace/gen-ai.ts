import { type GenAiFacts, genAiFacts } from "wire/gen-ai/call";
import { isGenAi } from "wire/gen-ai/span";
import type { Trace } from "./trace.ts";

/** A span about a model, an agent or a tool. */
export interface GenAiCall extends GenAiFacts {
  /** Index of the span in the trace. */
  span: number;
  /** Nesting level: the number of calls around this call. */
  level: number;
  /** True when a nested call has tokens. The own tokens are then a sum, which must not count twice. */
  isSum: boolean;
}

/** The calls of models, agents and tools in the order of the tree. */
export function genAiCalls(trace: Trace): GenAiCall[] {
  const calls: GenAiCall[] = [];
  const open: GenAiCall[] = [];
  for (const [index, span] of trace.spans.entries()) {
    while (open.length > 0 && index >= (trace.subtreeEnd[open.at(-1)?.span ?? 0] as number)) {
      open.pop();
    }
    if (!isGenAi(span)) {
      continue;
    }
    const call = { ...genAiFacts(span), span: index, level: open.length, isSum: false };
    if (call.inputTokens !== undefined || call.outputTokens !== undefined) {
      for (const outer of open) {
        outer.isSum = true;
      }
    }
    calls.push(call);
    open.push(call);
  }
  return calls;
}
