import { type Tool as AnyTool, type ToolParts, withBudget } from "assistant-tools/tool";
import type { AdminQuestion, AdminReply } from "server-core/admin/admin-message";
import type { z } from "zod";

/** Data and functions for one call of a tool. */
export interface AdminToolContext {
  /** Sends requests to the admin API with the client's rights. */
  readonly ask: (question: AdminQuestion) => Promise<AdminReply>;
}

/** A tool of the admin endpoint. */
export type AdminTool = AnyTool<AdminToolContext>;

/** Declares a tool, whose result is cut to the budget of the call. */
export function defineAdminTool<Shape extends z.ZodRawShape>(
  parts: ToolParts<AdminToolContext, Shape>,
): AdminTool {
  return withBudget(parts);
}

/** An error response of the admin API, with its message. */
export class AdminRefusal extends Error {}

/** Size limit of a response in bytes; a response may contain a large config. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** Reads the text of a response, which may be a stream. @throws AdminRefusal above the limit */
async function textOf({ body = "" }: AdminReply): Promise<string> {
  if (typeof body === "string") {
    return body;
  }
  if (body instanceof Uint8Array) {
    return Buffer.from(body).toString();
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxAnswerBytes) {
      throw new AdminRefusal(`the answer is over the limit of ${maxAnswerBytes} bytes`);
    }
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString();
}

/** A parsed response of the admin API. */
export interface AdminAnswer {
  /** Status code: 2xx, or a status that the caller accepts. */
  readonly status: number;
  /** Parsed body; undefined for an empty body. */
  readonly value: unknown;
  /** Value of a header; the name must be in lower case. */
  header(name: string): string | undefined;
}

/**
 * Sends a request to the admin API. @param goodStatus further accepted statuses. @throws AdminRefusal with the message
 * of the API
 */
export async function askAdmin(
  { ask }: AdminToolContext,
  question: AdminQuestion,
  goodStatus: readonly number[] = [],
): Promise<AdminAnswer> {
  const reply = await ask(question);
  const text = await textOf(reply);
  reply.afterwards?.();
  let value: unknown;
  try {
    value = text.trim() === "" ? undefined : JSON.parse(text);
  } catch {
    value = text;
  }
  if ((reply.status < 200 || reply.status > 299) && !goodStatus.includes(reply.status)) {
    const said = (value as { error?: unknown } | undefined)?.error;
    throw new AdminRefusal(`${reply.status}: ${typeof said === "string" ? said : text.trim()}`);
  }
  const headers = new Map(
    Object.entries(reply.headers ?? {}).map(([name, each]) => [name.toLowerCase(), each]),
  );
  return { status: reply.status, value, header: (name) => headers.get(name) };
}
