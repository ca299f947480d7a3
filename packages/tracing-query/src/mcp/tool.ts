import { z } from "zod";
import type { AdmittedRead } from "../http/endpoint.ts";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import type { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";

/** Everything that a tool reads with, for one call. */
export interface ToolContext {
  readonly service: QueryService;
  readonly adjust: AdjustOptions;
  readonly limits: ReadLimits;
  /** The tenant whose spans are read; aborted when the client is gone. */
  readonly read: AdmittedRead;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Address of a page of the UI. @param path with its slash in front: `/trace/…` */
  link(path: string): string;
}

/** The answer of a tool. Its lists grow with the user's system, so they are cut to the budget. */
export interface ToolAnswer {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names of fields that are lists, the most important item first. Where an answer is too long, the last is cut first. */
  readonly lists: readonly string[];
  /** How the rest can be had: `raise offset`. */
  readonly rest: string;
}

/** A question that an assistant can ask. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Its use of memory: names and counts, the traces of a search, or one trace. */
  readonly weight: "light" | "search" | "trace";
  answer(args: unknown, context: ToolContext): Promise<ToolAnswer>;
}

export const defaultBudget = 6_000;

const budgetField = z
  .int()
  .min(500)
  .max(50_000)
  .default(defaultBudget)
  .describe("Most tokens of the answer, about. What does not fit is left out and counted in left_out.");

interface ToolParts<Shape extends z.ZodRawShape> extends Omit<Tool, "input" | "answer"> {
  readonly input: Shape;
  readonly answer: (
    args: z.output<z.ZodObject<Shape>> & { readonly budget: number },
    context: ToolContext,
  ) => Promise<ToolAnswer>;
}

/** Adds the budget to the tool's own arguments. */
export function defineTool<Shape extends z.ZodRawShape>({ input, answer, ...rest }: ToolParts<Shape>): Tool {
  return {
    ...rest,
    input: z.strictObject({ ...input, budget: budgetField }),
    answer: (args, context) => answer(args as z.output<z.ZodObject<Shape>> & { budget: number }, context),
  };
}
