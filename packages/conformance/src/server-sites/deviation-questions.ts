import { files, respond, type SiteCase } from "./site-case.ts";

const template = (body: string) => [
  {
    handle: [
      { handler: "templates", mime_types: ["text/plain"] },
      respond(body, { headers: { "Content-Type": ["text/plain"] } }),
    ],
  },
];

/** Cases in which our server differs on purpose; known-site-differences.json has the reasons. */
export const deviationCases: readonly SiteCase[] = [
  {
    name: "status from a placeholder",
    routes: [{ handle: [{ handler: "static_response", status_code: "{http.request.uri.query.s}" }] }],
    requests: ["/?s=0200", "/?s=100", "/?s=99", "/?s=1000"],
  },
  {
    name: "realm with quotes",
    routes: [
      {
        handle: [
          { handler: "authentication", providers: { http_basic: { realm: 'a "b" c', accounts: [] } } },
        ],
      },
    ],
    requests: ["/"],
  },
  {
    name: "encode whatever is wanted",
    routes: [
      {
        handle: [
          { handler: "encode", encodings: { gzip: {} } },
          { handler: "file_server", root: "ROOT" },
        ],
      },
    ],
    requests: [{ target: "/style.css", headers: { "Accept-Encoding": "*" } }],
  },
  {
    name: "vars that are no texts",
    routes: [
      {
        handle: [
          { handler: "vars", list: ["a", 1], map: { k: [true] } },
          respond("{http.vars.list} {http.vars.map}"),
        ],
      },
    ],
    requests: ["/"],
  },
  {
    name: "browse, unchanged",
    routes: files({ browse: {} }),
    requests: [{ target: "/list/", headers: { "If-Modified-Since": "Tue, 14 Nov 2033 22:13:20 GMT" } }],
  },
  { name: "redirect to a folder", routes: files(), requests: [{ method: "HEAD", target: "/folder" }] },
  { name: "templates, a name that is not there", routes: template("{{.Nope}}"), requests: ["/"] },
  {
    name: "templates, passwords",
    routes: template('{{derivePassword 1 "long" "password" "user" "example.com"}}'),
    requests: ["/"],
  },
];
