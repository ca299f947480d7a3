import { z } from "zod";
import { isViewAddress, longestViewAddress, type ViewStore } from "../../service/view-store.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { jsonBody } from "./json-body.ts";
import { paramsReader, readJson } from "./read-request.ts";

// Other hosts are refused: a saved view must not lead users away from the UI.
const address = z
  .string()
  .max(longestViewAddress)
  .refine(isViewAddress, { error: "not a path of the UI, such as /search?service=cart" })
  .describe("Path and search of a page, below the UI's base.");
// Names are trimmed before comparison, so "carts" and "carts " are one view.
const name = z.string().trim().min(1).max(200);

// Parameters of the list.
const listSchema = z.strictObject({
  contains: z.string().max(4_096).default("").describe("Only views with this part in name, note or address."),
  limit: z.int().min(1).max(200).default(50).describe("Most views in the answer."),
  offset: z.int().min(0).max(1_000_000).default(0).describe("Views before those of the answer."),
});
const readList = paramsReader(listSchema);

const listAnswer = z
  .strictObject({
    total: z.int().describe("Views that match, on all pages."),
    views: z
      .array(
        z.strictObject({
          name: z.string(),
          address: z.string(),
          note: z.string(),
          saved: z.int().describe("Milliseconds since the Unix epoch."),
        }),
      )
      .describe("From a to z."),
  })
  .meta({ id: "SavedViews" });

const viewSchema = z.strictObject({
  ...{ name, address },
  note: z.string().max(4_000).default("").describe("What you want to say about it."),
});
// Bodies of the other methods. These are POST requests with JSON, which other sites cannot send without a preflight.
const removalSchema = z.strictObject({ name });
const renamingSchema = z.strictObject({
  name,
  to: name.describe("The new name; no other view may have it."),
});
const doneSchema = z.strictObject({ name: z.string() }).meta({ id: "SavedView" });
const linkSchema = z.strictObject({ address });
const linkAnswer = z
  .strictObject({ path: z.string().describe("Below the UI's base: `s/1f0c…`.") })
  .meta({ id: "ShortLink" });

// Failure statuses of changing methods: 413 for a long body or too many views, 501 when views are not stored.
const failures = { failures: "problem", failureStatuses: [400, 413, 501] } as const;
const json = "application/json";

/** The list of views, for the OpenAPI document. */
export const viewListOperation: OperationDescription = {
  ...{ method: "GET", path: "/api/analysis/v1/views", id: "getViews" },
  summary: "Views that were saved for all of a tenant, in pages",
  query: listSchema,
  answer: { contentType: json, schema: listAnswer },
  ...{ failures: "problem", failureStatuses: [400, 501] },
  example: {},
  failingExample: { status: 400, request: { query: { limit: "0" } } },
};

/** Saving of a view, for the OpenAPI document. */
export const saveViewOperation: OperationDescription = {
  ...{ method: "POST", path: "/api/analysis/v1/views", id: "saveView" },
  summary: "Save a view under a name; one of the same name is replaced",
  body: viewSchema,
  answer: { contentType: json, schema: doneSchema },
  ...failures,
  example: { body: { name: "slow carts", address: "/search?service=cart" } },
  failingExample: { status: 400, request: { body: { name: "x", address: "//other.example" } } },
};

/** Renaming of a view, for the OpenAPI document. */
export const renameViewOperation: OperationDescription = {
  ...{ method: "POST", path: "/api/analysis/v1/views/rename", id: "renameView" },
  summary: "Give a saved view another name",
  body: renamingSchema,
  answer: { contentType: json, schema: doneSchema },
  ...failures,
  example: { body: { name: "slow carts", to: "carts" } },
  failingExample: { status: 400, request: { body: { name: "nobody's", to: "x" } } },
};

/** Removal of a view, for the OpenAPI document. */
export const removeViewOperation: OperationDescription = {
  ...{ method: "POST", path: "/api/analysis/v1/views/remove", id: "removeView" },
  summary: "Remove a saved view",
  body: removalSchema,
  answer: { contentType: json, schema: doneSchema },
  ...failures,
  example: { body: { name: "carts" } },
  failingExample: { status: 400, request: { body: {} } },
};

/** Creation of a short link, for the OpenAPI document. */
export const linkOperation: OperationDescription = {
  ...{ method: "POST", path: "/api/analysis/v1/links", id: "makeShortLink" },
  summary: "A short link to a page, which the server keeps",
  body: linkSchema,
  answer: { contentType: json, schema: linkAnswer },
  ...failures,
  example: { body: { address: "/search?service=cart" } },
  failingExample: { status: 400, request: { body: { address: "https://other.example/" } } },
};

/**
 * `GET …/views` lists the saved views of the tenant, `POST …/views` saves one. This is an API of our own; Jaeger stores
 * no views on the server.
 *
 * ```
 * POST …/views {"name": "slow carts", "address": "/search?service=cart"}
 * {"name": "slow carts"}
 * GET …/views?contains=cart
 * {"total": 1, "views": [{"name": "slow carts", "address": "/search?service=cart", "note": "", "saved": 1795967689000}]}
 * ```
 *
 * A view with the same name is replaced. Errors: 400 for a wrong field or another content type than JSON, 501 without
 * --query.views-dir.
 */
export function viewsEndpoint(views: ViewStore): Endpoint {
  return async (request) => {
    const { tenant = "" } = request.read;
    if (request.method === "POST") {
      const view = readJson(viewSchema, await jsonBody(request));
      await views.save(tenant, { ...view, savedUnixMs: Date.now() });
      return [JSON.stringify({ name: view.name })];
    }
    const { contains, limit, offset } = readList(request.params);
    const part = contains.toLowerCase();
    const found = (await views.list(tenant)).filter((view) =>
      `${view.name}\n${view.note}\n${view.address}`.toLowerCase().includes(part),
    );
    const answer: z.output<typeof listAnswer> = {
      total: found.length,
      views: found
        .slice(offset, offset + limit)
        .map(({ savedUnixMs, ...view }) => ({ ...view, saved: savedUnixMs })),
    };
    return [JSON.stringify(answer)];
  };
}

/**
 * `POST …/views/rename` with `{"name": "slow carts", "to": "carts"}` answers `{"name": "carts"}`. Errors: 400 when no
 * view has the old name, or another view has the new one.
 */
export function renameViewEndpoint(views: ViewStore): Endpoint {
  return async (request) => {
    const { name, to } = readJson(renamingSchema, await jsonBody(request));
    await views.rename(request.read.tenant ?? "", name, to);
    return [JSON.stringify({ name: to })];
  };
}

/** `POST …/views/remove` with `{"name": "carts"}` answers the same object. */
export function removeViewEndpoint(views: ViewStore): Endpoint {
  return async (request) => {
    const removal = readJson(removalSchema, await jsonBody(request));
    await views.remove(request.read.tenant ?? "", removal.name);
    return [JSON.stringify(removal)];
  };
}

/**
 * `POST …/links` with `{"address": "/search?service=cart"}` answers `{"path": "s/1f0c…"}`. The UI's router redirects
 * this path to the address. Equal addresses share a link.
 */
export function linkEndpoint(views: ViewStore): Endpoint {
  return async (request) => {
    const link = readJson(linkSchema, await jsonBody(request));
    return [JSON.stringify({ path: `s/${await views.link(request.read.tenant ?? "", link.address)}` })];
  };
}
