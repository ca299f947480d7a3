import { version } from "lifecycle/version";
import { z } from "zod";
import { failureBodies, statusMeanings } from "./failures.ts";
import type { OperationDescription, OperationExample, OperationGroup } from "./operation.ts";

/** An object of the document. */
type Json = Record<string, unknown>;

/** Every request may get these statuses. */
const commonStatuses = [401, 403, 503];

/**
 * JSON Schemas created by zod. A schema with an id is written once, under `components`, and referenced elsewhere.
 */
class Components {
  readonly schemas: Record<string, unknown> = {};

  /** @param io `input` for the schema of a request, `output` for the schema of an answer */
  schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
    const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, { io });
    for (const [id, definition] of Object.entries($defs)) {
      this.schemas[id] = relocated(definition);
    }
    return relocated(own) as Json;
  }
}

/** Changes references to the place of the definitions in the document. */
function relocated(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'));
}

function isJson(contentType: string): boolean {
  return /^application\/([a-z]+\+)?json/.test(contentType);
}

/** JSON sent as text is described as a string. */
function content(contentType: string, schema: Json | undefined): Json {
  if (schema === undefined) {
    return { [contentType]: { schema: { type: "string" } } };
  }
  const isPlain = isJson(contentType);
  const inText = { type: "string", contentMediaType: "application/json", contentSchema: schema };
  return { [contentType]: { schema: isPlain ? schema : inText } };
}

/** Parameters of the path or of the query. @param example texts of the operation's example */
function parameters(
  components: Components,
  place: "path" | "query",
  schema: z.ZodObject | undefined,
  example: OperationExample["query"],
): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const type = field as z.ZodType;
    const { description, ...json } = components.schemaOf(type, "input");
    const isArray = json.type === "array";
    return {
      name,
      in: place,
      required: place === "path" || !type.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      // An object parameter is sent as JSON text.
      ...(json.type === "object" ? { content: { "application/json": { schema: json } } } : { schema: json }),
      ...(isArray ? { style: "form", explode: true } : {}),
      ...(example?.[name] === undefined ? {} : { example: exampleOf(json.type, example[name]) }),
    };
  });
}

/** Converts the example's text to the schema's type: "20" for an integer becomes 20. */
function exampleOf(type: unknown, text: string | readonly string[]): unknown {
  return (type === "integer" || type === "number" || type === "boolean") && typeof text === "string"
    ? JSON.parse(text)
    : text;
}

/** One operation: its parameters, its body, and an answer for each status. */
function operationOf(components: Components, group: string, operation: OperationDescription): Json {
  const { id, summary, description, pathParts, query, body, answer, failures, failureStatuses, example } =
    operation;
  const failure = failureBodies[failures];
  const failureSchema = failure.schema && components.schemaOf(failure.schema, "output");
  const answerSchema = answer.schema && components.schemaOf(answer.schema, "output");
  const failed = [...new Set([...failureStatuses, ...commonStatuses])].sort((one, other) => one - other);
  const isAuthText = failures !== "problem";
  return {
    operationId: id,
    tags: [group],
    summary,
    ...(description === undefined ? {} : { description }),
    parameters: [
      ...parameters(components, "path", pathParts, example.path),
      ...parameters(components, "query", query, example.query),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: components.schemaOf(body, "input"), example: example.body },
            },
          },
        }),
    responses: {
      200: { description: summary, content: content(answer.contentType, answerSchema) },
      ...Object.fromEntries(
        failed.map((status) => [
          status,
          {
            description: statusMeanings[status] ?? "",
            content:
              status === 401 && isAuthText
                ? content("text/plain; charset=utf-8", undefined)
                : content(failure.contentType, failureSchema),
          },
        ]),
      ),
    },
  };
}

/** An Express path in OpenAPI's notation: `/api/traces/:traceId` becomes `/api/traces/{traceId}`. */
export function templateOf(path: string): string {
  return path.replace(/[:*]([A-Za-z]+)/g, "{$1}");
}

/**
 * The description of the API in OpenAPI 3.1.
 * @param serverPath prefix of all paths. Source: spec.openapis.org/oas/v3.1.1
 */
export function openApiDocument(groups: readonly OperationGroup[], serverPath: string): Json {
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const group of groups) {
    for (const operation of group.operations) {
      const path = templateOf(operation.path);
      paths[path] = {
        ...paths[path],
        [operation.method.toLowerCase()]: operationOf(components, group.name, operation),
      };
    }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Query service",
      version: version.gitVersion.replace(/^v/, ""),
      description:
        "Traces, metrics and analysis of the tracing backend over HTTP. Answers are compressed for who takes it; " +
        "`prettyPrint=true` spreads JSON over lines. Where tenancy is on, every request names its tenant in a header.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: serverPath === "" ? "/" : serverPath }],
    tags: groups.map(({ name, description }) => ({ name, description })),
    paths,
    components: { schemas: components.schemas },
  };
}
