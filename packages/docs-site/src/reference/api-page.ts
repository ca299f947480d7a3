import { z } from "zod";
import { cell, code, row } from "./markdown-cells.ts";

// Bodies by media type.
const content = z.record(z.string(), z.looseObject({})).optional();
// The parts of an operation that a page shows.
const operation = z.looseObject({
  summary: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.string(),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: z.looseObject({ type: z.unknown().optional() }).optional(),
      }),
    )
    .default([]),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string().default(""), content })),
});

/** The parts of an OpenAPI document that pages show. */
export const openApiDocument = z.looseObject({
  info: z.looseObject({ title: z.string(), description: z.string().optional() }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

// HTTP methods in the order in which a page shows them for each path.
const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** The section of one operation: its texts, a table of parameters, its body and a table of answers. */
function operationText(method: string, path: string, value: unknown): string {
  const { summary, description, parameters, requestBody, responses } = operation.parse(value);
  const lines = [`## ${method.toUpperCase()} ${path}`, ""];
  for (const text of [summary, description]) {
    if (text !== undefined) {
      lines.push(text.replace(/([^.!?])$/, "$1."), "");
    }
  }
  if (parameters.length > 0) {
    lines.push("| Parameter | In | Type | Meaning |", "|---|---|---|---|");
    for (const one of parameters) {
      const type = [one.schema?.type ?? ""].flat().join(" or ");
      const need = one.required === true ? "needed" : "";
      lines.push(
        row(code(one.name), one.in, type, cell([need, one.description ?? ""].filter(Boolean).join("; "))),
      );
    }
    lines.push("");
  }
  const bodies = Object.keys(requestBody?.content ?? {});
  if (bodies.length > 0) {
    lines.push(`Body: ${bodies.map(code).join(", ")}`, "");
  }
  lines.push("| Status | Body | Meaning |", "|---|---|---|");
  for (const [status, answer] of Object.entries(responses)) {
    lines.push(
      row(
        status,
        Object.keys(answer.content ?? {})
          .map(code)
          .join(", "),
        cell(answer.description),
      ),
    );
  }
  return lines.join("\n");
}

/**
 * A page of an HTTP API, generated from its OpenAPI document.
 * @param address address of the document on a running process
 */
export function apiPage(title: string, address: string, document: z.infer<typeof openApiDocument>): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (method in item ? [operationText(method, path, item[method])] : [])),
  );
  return `# ${title}

${document.info.description ?? ""}

The same for programs, with the schemas of all bodies: ${code(`GET ${address}`)} of a running process (OpenAPI 3.1).

${operations.join("\n\n")}
`;
}
