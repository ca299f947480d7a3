/** One request to a site. */
export interface SiteRequest {
  /** `GET` where absent. */
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A site's routes, and what it is asked. `ROOT` in the routes is the folder of {@link siteFiles}. */
export interface SiteCase {
  readonly name: string;
  readonly routes: readonly unknown[];
  readonly requests: readonly (SiteRequest | string)[];
}

/** Files that both servers serve, with their times. */
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
/** Routes that say whether a matcher lets a request through. */
export const match = (matcher: object, body = "yes") => [
  { match: [matcher], handle: [respond(body)] },
  { handle: [respond("no")] },
];
/** Routes that serve {@link siteFiles}. */
export const files = (config: object = {}) => [
  { handle: [{ handler: "file_server", root: "ROOT", ...config }] },
];

/** The target as handlers see it after others changed it. */
export const echo = respond("{http.request.method} {http.request.uri}");
