import { STATUS_CODES } from "node:http";
import { z } from "zod";
import type { AnswerStyle } from "./endpoint.ts";

/** The schema of a failure as in RFC 9457; `code`, `parameter` and `limit` are our extensions. */
export const problemSchema = z
  .strictObject({
    type: z.literal("about:blank"),
    title: z.string().describe("The phrase of the status."),
    status: z.int().min(400).max(599),
    detail: z.string().describe("What was wrong, for people."),
    code: z.string().optional().describe("What was wrong, for programs: stable."),
    parameter: z.string().optional().describe("The parameter, header or field that is to blame."),
    limit: z
      .strictObject({
        name: z.string().describe("An option of the server, `query.…`; or the schema's word."),
        value: z.union([z.number(), z.string()]),
      })
      .optional()
      .describe("The bound that was broken."),
  })
  .meta({ id: "Problem" });

/** Answers in JSON; failures are RFC 9457 problems. */
export const problemStyle: AnswerStyle = {
  contentType: "application/json",
  failureType: "application/problem+json",
  failure(status, detail, failure) {
    const { code, parameter, limit } = failure ?? {};
    const title = STATUS_CODES[status] ?? "";
    return `${JSON.stringify({ type: "about:blank", title, status, detail, code, parameter, limit })}\n`;
  },
};
