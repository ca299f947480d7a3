import { z } from "zod";

/** The answer of a tool. Its lists grow with the user's system, so they are cut to the budget. */
export interface ToolAnswer {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names of fields that are lists, the most important item first. Where an answer is too long, the last is cut first. */
  readonly lists: readonly string[];
  /** How the rest can be had: `raise offset`. */
  readonly rest: string;
}

/** A question that an assistant can ask. */
export interface Tool<Context> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Whether it changes something. Absent: it reads. */
  readonly changes?: boolean;
  answer(args: unknown, context: Context): Promise<ToolAnswer>;
}

export const defaultBudget = 6_000;

const budgetField = z
  .int()
  .min(500)
  .max(50_000)
  .default(defaultBudget)
  .describe("Most tokens of the answer, about. What does not fit is left out and counted in left_out.");

/** A tool before its budget was added. */
export type ToolParts<Context, Shape extends z.ZodRawShape> = Omit<Tool<Context>, "input" | "answer"> & {
  readonly input: Shape;
  readonly answer: (
    args: z.output<z.ZodObject<Shape>> & { readonly budget: number },
    context: Context,
  ) => Promise<ToolAnswer>;
};

/** Adds the budget to the tool's own arguments. */
export function withBudget<Context, Shape extends z.ZodRawShape>({
  input,
  answer,
  ...rest
}: ToolParts<Context, Shape>): Tool<Context> {
  return {
    ...rest,
    input: z.strictObject({ ...input, budget: budgetField }),
    answer: (args, context) => answer(args as z.output<z.ZodObject<Shape>> & { budget: number }, context),
  };
}

/** A question that people ask often, as a text that tells an assistant how to answer it. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly args: z.ZodObject;
  text(args: Readonly<Record<string, string | undefined>>): string;
}
