import { z } from "zod";

/** The answer of a tool. Its lists grow with the user's system, so they are cut to the budget. */
export interface ToolAnswer {
  /** The answer as a JSON object. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Names of fields that are lists, the most important item first. Where an answer is too long, the last is cut first. */
  readonly lists: readonly string[];
  /** How the rest can be had: `raise offset`. */
  readonly rest: string;
}

/** A question that an assistant can ask. */
export interface Tool<Context> {
  /** Name of the tool, such as `get_services`. Clients know tools by it, so it stays the same over releases. */
  readonly name: string;
  /** A title for people. */
  readonly title: string;
  /** Tells the assistant when to use the tool, and what it answers. */
  readonly description: string;
  /** Arguments. Texts of their fields are shown to the assistant too. */
  readonly input: z.ZodObject;
  /** Whether it changes something. Absent: it reads. */
  readonly changes?: boolean;
  /** Answers a call. @param args checked by `input` */
  answer(args: unknown, context: Context): Promise<ToolAnswer>;
}

/** Tokens of an answer when the assistant names no budget: about 24,000 characters. */
export const defaultBudget = 6_000;

const budgetField = z
  .int()
  .min(500)
  .max(50_000)
  .default(defaultBudget)
  .describe("Most tokens of the answer, about. What does not fit is left out and counted in left_out.");

/** A tool before its budget was added. */
export type ToolParts<Context, Shape extends z.ZodRawShape> = Omit<Tool<Context>, "input" | "answer"> & {
  /** Arguments of the tool without the budget. */
  readonly input: Shape;
  /** Answers a call. The budget is an additional argument. */
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
  /** Name of the command that clients offer for the prompt. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Arguments that the user fills in. */
  readonly args: z.ZodObject;
  /** The text that is put into the conversation. */
  text(args: Readonly<Record<string, string | undefined>>): string;
}
