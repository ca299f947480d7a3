/** One request to a site under test. */
export interface SiteRequest {
  /** `GET` by default. */
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A site's routes, and the requests to it. `ROOT` in the routes is the folder of {@link siteFiles}. */
export interface SiteCase {
  readonly name: string;
  readonly routes: readonly unknown[];
  readonly requests: readonly (SiteRequest | string)[];
}

/** Files that both servers serve, by path. */
export const siteFiles: Readonly<Record<string, string>> = {
  "index.html": "<p>index</p>\n",
  "a.txt": "0123456789",
  "data.json": '{"a":1}',
  "style.css": "body { color: red }\n".repeat(100),
  "folder/index.html": "in the folder",
  "folder/b.txt": "b",
  "list/one.txt": "1",
  "list/two.txt": "22",
  "list/sub/three.txt": "333",
  "secret.txt": "secret",
  "script.php": "<?php",
  "with space.txt": "space",
  unknown: "?",
};
/** A handler that answers with a text. */
export const respond = (body: string, more: object = {}) => ({ handler: "static_response", body, ...more });
/** Routes whose answer shows if a matcher accepts the request. */
export const match = (matcher: object, body = "yes") => [
  { match: [matcher], handle: [respond(body)] },
  { handle: [respond("no")] },
];
/** Routes that serve {@link siteFiles}. */
export const files = (config: object = {}) => [
  { handle: [{ handler: "file_server", root: "ROOT", ...config }] },
];

/** Answers with the target as handlers see it after earlier handlers changed it. */
export const echo = respond("{http.request.method} {http.request.uri}");
