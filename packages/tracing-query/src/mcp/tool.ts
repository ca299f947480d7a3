import { type Tool as AnyTool, type ToolParts as AnyToolParts, withBudget } from "assistant-tools/tool";
import type { z } from "zod";
import type { AdmittedRead } from "../http/endpoint.ts";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import type { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";

/** Everything that a tool reads with, for one call. */
export interface ToolContext {
  /** Reads of the store. */
  readonly service: QueryService;
  /** Corrections of shown traces. */
  readonly adjust: AdjustOptions;
  /** Limits of one read. */
  readonly limits: ReadLimits;
  /** The tenant whose spans are read; aborted when the client is gone. */
  readonly read: AdmittedRead;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Address of a page of the UI. @param path with its slash in front: `/trace/…` */
  link(path: string): string;
}

interface Weight {
  /** Its use of memory: names and counts, the traces of a search, or one trace. */
  readonly weight: "light" | "search" | "trace";
}

/** A question about traces. */
export type Tool = AnyTool<ToolContext> & Weight;

/** Adds the budget to the tool's own arguments. */
export function defineTool<Shape extends z.ZodRawShape>({
  weight,
  ...parts
}: AnyToolParts<ToolContext, Shape> & Weight): Tool {
  return { ...withBudget(parts as unknown as AnyToolParts<ToolContext, Shape>), weight };
}
