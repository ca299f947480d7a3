import { type Tool as AnyTool, type ToolParts as AnyToolParts, withBudget } from "assistant-tools/tool";
import type { LinkPattern } from "wire/link-template";
import type { z } from "zod";
import type { AdmittedRead } from "../http/endpoint.ts";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import type { ModelPrices } from "../service/model-prices.ts";
import type { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";

/** Services and limits of one call of a tool. */
export interface ToolContext {
  /** Reads of the store. */
  readonly service: QueryService;
  /** Corrections of shown traces. */
  readonly adjust: AdjustOptions;
  /** Prices of language models. */
  readonly prices: ModelPrices;
  /** Link patterns of the UI's configuration. @throws QueryError QUERY_UPSTREAM for an unreadable file */
  linkPatterns(): Promise<readonly LinkPattern[]>;
  /** Maximum number of traces, spans and bytes that one read may return. */
  readonly limits: ReadLimits;
  /** The tenant whose spans are read, and a signal that is aborted when the client disconnects. */
  readonly read: AdmittedRead;
  /** Time of the call in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Address of a page of the UI. @param path starts with a slash: `/trace/…` */
  link(path: string): string;
}

interface Weight {
  /** Memory that the tool needs: for names and counts, for the traces of a search, or for one trace. */
  readonly weight: "light" | "search" | "trace";
}

/** A tool about traces, with its weight. */
export type Tool = AnyTool<ToolContext> & Weight;

/** Adds the budget to the tool's own arguments. */
export function defineTool<Shape extends z.ZodRawShape>({
  weight,
  ...parts
}: AnyToolParts<ToolContext, Shape> & Weight): Tool {
  return { ...withBudget(parts as unknown as AnyToolParts<ToolContext, Shape>), weight };
}
