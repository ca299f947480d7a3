/** A possible response of an operation. */
export interface DocumentedAnswer {
  readonly description: string;
  /** Media type and JSON Schema of the body; absent without a body. */
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
  /** Headers of the response, in addition to the headers of all responses. */
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** One method of one path, in OpenAPI's form. */
export interface DocumentedOperation {
  /** Name from which client generators make a function; unique in the document. */
  readonly operationId: string;
  /** Summary of one line, for lists. */
  readonly summary: string;
  readonly description?: string;
  /** Parameters of path, query and header. */
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  /** Responses by status. */
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

/** Documents an answer with a JSON body. */
export function json(description: string, schema: unknown, mediaType = "application/json"): DocumentedAnswer {
  return { description, content: { [mediaType]: { schema } } };
}

/** A 200 response without a body. */
export const done: DocumentedAnswer = { description: "Done; the body is empty." };

/** Documents a refusal: JSON with `error`. */
export function refused(description: string): DocumentedAnswer {
  return json(description, { $ref: "#/components/schemas/Error" });
}

/** Responses of the access checks, common to all paths. */
export const guards = {
  "400": refused("The request is not understood, or what it asks for cannot be."),
  "403": refused("Host or Origin is not admitted."),
};

/** A schema that allows any JSON value. */
export const anyJson = { description: "Any JSON value." };

/** Documents a parameter of the path. */
export function path(name: string, description: string, schema: unknown = { type: "string" }): unknown {
  return { name, in: "path", required: true, description, schema };
}

/** Documents a header of the request, which is never required. */
export function header(name: string, description: string): unknown {
  return { name, in: "header", description, schema: { type: "string" } };
}

/** Documents a parameter of the query, which is never required. */
export function query(name: string, description: string, schema: unknown): unknown {
  return { name, in: "query", description, schema };
}

/** A request body in several media types, each with its schema. */
export function body(description: string, content: Readonly<Record<string, unknown>>): unknown {
  return {
    description,
    required: true,
    content: Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }])),
  };
}

/** Parameters that select a page of a list. */
export const listPageParameters = [
  query("contains", "Only entries with this text, in any case.", { type: "string" }),
  query("limit", "Most entries of the answer; all when absent.", {
    type: "integer",
    minimum: 1,
    maximum: 1_000,
  }),
  query("offset", "Entries before those of the answer.", { type: "integer", minimum: 0 }),
];

/** Response header with the total count of a list. */
export const totalCount = {
  "X-Total-Count": { description: "Entries that match, on all pages.", schema: { type: "integer" } },
};
