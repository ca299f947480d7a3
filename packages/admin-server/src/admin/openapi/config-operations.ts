import {
  anyJson,
  body,
  type DocumentedOperation,
  done,
  guards,
  header,
  path,
  refused,
} from "./operations.ts";

const ifMatch = header(
  "If-Match",
  'An ETag that an earlier answer gave, `"<path> <hash>"`: the change is made only if that part still is the same.',
);
const accept = header(
  "Accept",
  "`text/serverfile` (or `text/caddyfile`) for the whole config as a serverfile that adapts to the same JSON.",
);
const cacheControl = header(
  "Cache-Control",
  "`must-revalidate` loads the config again even if nothing changed.",
);

/** Responses that all four changes share. */
const changeAnswers = {
  "200": { ...done, description: "The new config runs and is saved; also when nothing changed." },
  ...guards,
  "412": refused("The part that If-Match names is another by now."),
  "413": refused("The body is over 100 MiB."),
  "503": refused("256 changes wait already, or the server is stopping."),
};

/** The ETag header of read responses, for use in `If-Match`. */
const etag = {
  Etag: { description: 'Path and hash of the answer: `"<path> <hash>"`.', schema: { type: "string" } },
};

const value = body("The value.", { "application/json": anyJson });
const missing = refused("There is nothing at the path.");

/** The operation that reads a path. @param at suffix of the operation id */
function reading(at: string, parameters: readonly unknown[]): DocumentedOperation {
  return {
    operationId: `read${at}`,
    summary: "Read the config, or a part of it",
    description: "An absent last key reads as null.",
    parameters: [...parameters, accept],
    responses: {
      "200": {
        description: "The value, keys sorted; as text when `Accept` asks for it.",
        content: {
          "application/json": { schema: anyJson },
          "text/serverfile": { schema: { type: "string" } },
        },
        headers: etag,
      },
      ...guards,
      "406": refused(
        "No serverfile says the part of the config that the path names, or it is not the whole config.",
      ),
      ...(at === "ById" ? { "404": missing } : {}),
    },
  };
}

/** The operations of one path: reading, and four kinds of changes. @param at suffix of the operation ids */
function operations(at: string, parameters: readonly unknown[]): Record<string, DocumentedOperation> {
  return {
    get: reading(at, parameters),
    post: {
      operationId: `set${at}`,
      summary: "Create or replace a value; append to an array",
      description: "With `/...` after the path of an array, each element of the body is appended.",
      parameters: [...parameters, ifMatch, cacheControl],
      requestBody: value,
      responses: { ...changeAnswers, ...(at === "ById" ? { "404": missing } : {}) },
    },
    put: {
      operationId: `insert${at}`,
      summary: "Create a value that is not there; insert into an array",
      parameters: [...parameters, ifMatch, cacheControl],
      requestBody: value,
      responses: {
        ...changeAnswers,
        ...(at === "ById" ? { "404": missing } : {}),
        "409": refused("The key is there already."),
      },
    },
    patch: {
      operationId: `patch${at}`,
      summary: "Replace a value that is there, or change parts of it",
      description:
        "`application/json` replaces the value; a JSON patch (RFC 6902) or a merge patch (RFC 7396) changes it, as one change.",
      parameters: [...parameters, ifMatch, cacheControl],
      requestBody: body("The value, or a patch of the one that is there.", {
        "application/json": anyJson,
        "application/json-patch+json": { $ref: "#/components/schemas/JsonPatch" },
        "application/merge-patch+json": anyJson,
      }),
      responses: {
        ...changeAnswers,
        "404": missing,
        "409": refused("The patch does not fit what stands there, or one of its tests fails."),
      },
    },
    delete: {
      operationId: `delete${at}`,
      summary: "Take a value away",
      parameters: [...parameters, ifMatch, cacheControl],
      responses: { ...changeAnswers, "404": missing },
    },
  };
}

/** `/config/` and `/id/`. OpenAPI has no parameter with several segments: slashes in `path` are not escaped. */
export const configOperations = {
  "/config/": operations("Config", []),
  "/config/{path}": operations("At", [
    path(
      "path",
      "Keys and indexes, parted by slashes, which stay as they are: `apps/http/servers/s/routes/0`.",
    ),
  ]),
  "/id/{id}": operations("ById", [
    path(
      "id",
      "The `@id` of an object; below it as below /config/, parted by slashes, which stay as they are.",
    ),
  ]),
};
