import { z } from "zod";

/** The answer of a tool. Its lists grow with the user's system, so they are cut to the budget. */
export interface ToolAnswer {
  /** The answer as a JSON object. */
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * Names of fields that are lists, with the most important items first. In a long answer the last items are cut
   * first.
   */
  readonly lists: readonly string[];
  /** How to get the omitted items: `raise offset`. */
  readonly rest: string;
}

export interface Tool<Context> {
  /** Name of the tool, such as `get_services`. Clients identify tools by name, so the name never changes. */
  readonly name: string;
  /** A title for people. */
  readonly title: string;
  /** Explains to the assistant when to use the tool, and what the answer holds. */
  readonly description: string;
  /** Arguments. Texts of their fields are shown to the assistant too. */
  readonly input: z.ZodObject;
  /** True when the tool changes state. Absent: the tool only reads. */
  readonly changes?: boolean;
  /** Answers a call. @param args checked by `input` */
  answer(args: unknown, context: Context): Promise<ToolAnswer>;
}

/** Default limit of tokens in an answer: about 24,000 characters. */
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

/** A frequent question, as a text with the steps by which an assistant answers it. */
export interface Prompt {
  /** Name of the command that clients offer for the prompt. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Arguments that the user fills in. */
  readonly args: z.ZodObject;
  /** Writes the text that is put into the conversation. */
  text(args: Readonly<Record<string, string | undefined>>): string;
}

/** The answer of a tool at an address. People add it to a conversation from the client's list of resources. */
export interface Resource {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Address, or a template of RFC 6570 such as `tracing://traces/{trace_id}`; variables become arguments. */
  readonly uri: string;
  /** Name of the tool that answers. */
  readonly tool: string;
}
