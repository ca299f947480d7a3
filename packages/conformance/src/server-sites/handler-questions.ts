import { echo, files, respond, type SiteCase, type SiteRequest } from "./site-case.ts";

/** Cases for every handler except the proxy. */
export const handlerCases: readonly SiteCase[] = [
  {
    name: "static_response",
    routes: [
      { match: [{ path: ["/json"] }], handle: [respond('{"a":1}')] },
      {
        match: [{ path: ["/status"] }],
        handle: [{ handler: "static_response", status_code: "{http.request.uri.query.s}" }],
      },
      {
        match: [{ path: ["/header"] }],
        handle: [
          respond("x", { headers: { "X-A": ["{http.request.method}", "2"], "Content-Type": ["a/b"] } }),
        ],
      },
      { match: [{ path: ["/unknown"] }], handle: [respond("[{nothing.known}] {http.vars.nothing}")] },
      { match: [{ path: ["/close"] }], handle: [respond("x", { close: true })] },
    ],
    requests: [
      "/json",
      "/status?s=418",
      "/status?s=204",
      "/status",
      "/header",
      "/unknown",
      "/close",
      "/none",
    ],
  },
  {
    name: "error",
    routes: [
      {
        handle: [
          {
            handler: "subroute",
            routes: [
              {
                match: [{ path: ["/caught"] }],
                handle: [{ handler: "error", status_code: 404, error: "gone {http.request.method}" }],
              },
              { match: [{ path: ["/uncaught"] }], handle: [{ handler: "error", status_code: 409 }] },
            ],
            errors: {
              routes: [
                {
                  match: [{ expression: "{http.error.status_code} == 404" }],
                  handle: [respond("{http.error.status_code} {http.error.status_text} {http.error.message}")],
                },
              ],
            },
          },
        ],
      },
      { match: [{ path: ["/plain"] }], handle: [{ handler: "error" }] },
    ],
    requests: ["/caught", "/uncaught", "/plain", "/none"],
  },
  ...(
    [
      [{ uri: "/new" }, ["/a?b"]],
      [{ uri: "/new?" }, ["/a?b"]],
      [{ uri: "?c=d" }, ["/a?b"]],
      [{ uri: "/new{http.request.uri.path}?{http.request.uri.query}&x=1" }, ["/a%20b/c?b", "/a"]],
      [{ uri: "/q?v={http.request.header.X-V}" }, [{ target: "/", headers: { "X-V": "a b&c" } }]],
      [{ uri: "/f#frag" }, ["/a?b"]],
      [{ strip_path_prefix: "/api" }, ["/api/x", "/API/x", "/api", "/apix", "/other", "/%61pi/x", "//api/x"]],
      [{ strip_path_suffix: ".html" }, ["/a.html", "/a.htm"]],
      [{ uri_substring: [{ find: "a", replace: "b" }] }, ["/aaa?a=a"]],
      [{ uri_substring: [{ find: "a", replace: "b", limit: 1 }] }, ["/aaa?a=a"]],
      [{ path_regexp: [{ find: "/{2,}", replace: "/" }] }, ["/a//b///c"]],
      [{ path_regexp: [{ find: "^/(\\w+)/(\\w+)", replace: "/$2/$1" }] }, ["/a/b?q"]],
      [{ method: "put" }, ["/"]],
      [{ query: { add: [{ key: "n", val: "v w" }] } }, ["/?a=1", "/"]],
      [{ query: { set: [{ key: "a", val: "9" }] } }, ["/?a=1&a=2"]],
      [{ query: { rename: [{ key: "a", val: "b" }] } }, ["/?a=1"]],
      [{ query: { delete: ["a"] } }, ["/?a=1&b=2", "/?a"]],
      [{ query: { replace: [{ key: "a", search_regexp: "(.)", replace: "<$1>" }] } }, ["/?a=xy"]],
    ] as [object, (string | SiteRequest)[]][]
  ).map(([config, requests]) => ({
    name: `rewrite ${JSON.stringify(config)}`,
    routes: [{ handle: [{ handler: "rewrite", ...config }, echo] }],
    requests,
  })),
  {
    name: "headers",
    routes: [
      {
        handle: [
          {
            handler: "headers",
            request: {
              add: { "X-New": ["{http.request.method}"] },
              delete: ["X-Gone", "X-Pre-*"],
              replace: { "X-R": [{ search: "a", replace: "b" }] },
            },
            response: { set: { "X-Set": ["1"] }, add: { "X-Add": ["a", "b"] } },
          },
          {
            handler: "headers",
            response: {
              deferred: true,
              delete: ["X-Del"],
              replace: { "X-Re": [{ search_regexp: "(\\d)", replace: "<$1>" }] },
            },
          },
          {
            handler: "headers",
            response: { require: { headers: { "X-None": null } }, set: { "X-None": ["default"] } },
          },
          respond(
            "{http.request.header.X-New}|{http.request.header.X-Gone}|{http.request.header.X-Pre-A}|{http.request.header.X-R}",
            {
              headers: { "X-Del": ["1"], "X-Re": ["a1"] },
            },
          ),
        ],
      },
    ],
    requests: ["/", { target: "/", headers: { "X-Gone": "1", "X-Pre-A": "1", "X-R": "aa" } }],
  },
  {
    name: "map",
    routes: [
      {
        handle: [
          {
            handler: "map",
            source: "{http.request.uri.path}",
            destinations: ["{m.one}", "{m.two}"],
            mappings: [
              { input: "/a", outputs: ["A", null] },
              { input_regexp: "^/r/(.+)$", outputs: ["<$1>", 5] },
            ],
            defaults: ["d1", "d2"],
          },
          respond("{m.one} {m.two}"),
        ],
      },
    ],
    requests: ["/a", "/r/x", "/other"],
  },
  {
    name: "file_server",
    routes: files({ hide: ["secret*"], precompressed: { gzip: {} } }),
    requests: [
      "/",
      "/a.txt",
      "/data.json",
      "/style.css",
      "/unknown",
      "/folder",
      "/folder?q=1",
      "/folder/",
      "/a.txt/",
      "/secret.txt",
      "/absent",
      "/folder/../a.txt",
      "/%2e%2e/a.txt",
      "/with%20space.txt",
      "/folder//b.txt",
      "/folder/b.txt%00",
      "/a.txt%2f..%2fa.txt",
      { method: "HEAD", target: "/a.txt" },
      { method: "POST", target: "/a.txt" },
      { method: "OPTIONS", target: "/absent" },
      ...[
        "bytes=0-4",
        "bytes=-3",
        "bytes=5-",
        "bytes=20-",
        "bytes=5-1",
        "bytes=0-0,2-2",
        "bytes=0-9,0-9",
      ].map((Range) => ({
        target: "/a.txt",
        headers: { Range },
      })),
      { target: "/a.txt", headers: { "If-None-Match": "*" } },
      { target: "/a.txt", headers: { "If-Match": '"x"' } },
      { target: "/a.txt", headers: { "If-Modified-Since": "Tue, 14 Nov 2023 22:13:20 GMT" } },
      { target: "/a.txt", headers: { "If-Unmodified-Since": "Tue, 14 Nov 2000 22:13:20 GMT" } },
      { target: "/a.txt", headers: { Range: "bytes=0-1", "If-Range": "Tue, 14 Nov 2023 22:13:20 GMT" } },
      { target: "/a.txt", headers: { Range: "bytes=0-1", "If-Range": '"x"' } },
    ],
  },
  { name: "file_server status_code", routes: files({ status_code: 404 }), requests: ["/a.txt", "/absent"] },
  {
    name: "file_server pass_thru",
    routes: [{ handle: [...(files({ pass_thru: true })[0]?.handle ?? []), respond("next")] }],
    requests: ["/a.txt", "/absent"],
  },
  {
    name: "file_server browse",
    routes: files({ browse: {} }),
    requests: [
      "/list",
      { target: "/list/", headers: { Accept: "application/json" } },
      { target: "/list/?sort=size&order=desc&limit=2", headers: { Accept: "application/json" } },
      { target: "/list/?sort=name&offset=1", headers: { Accept: "application/json" } },
    ],
  },
  {
    name: "encode",
    routes: [
      {
        handle: [
          { handler: "encode", encodings: { gzip: {}, zstd: {} }, prefer: ["zstd", "gzip"] },
          { handler: "file_server", root: "ROOT" },
        ],
      },
    ],
    requests: ["gzip", "zstd, gzip", "gzip;q=0", "br", ""].flatMap((accept) => [
      { target: "/style.css", headers: { "Accept-Encoding": accept } },
      { target: "/a.txt", headers: { "Accept-Encoding": accept } },
    ]),
  },
  {
    name: "authentication",
    routes: [
      {
        handle: [
          {
            handler: "authentication",
            // The hash of "hiccup", from the public model's documentation.
            providers: {
              http_basic: {
                accounts: [
                  {
                    username: "bob",
                    password: "$2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG",
                  },
                ],
              },
            },
          },
          respond("{http.auth.user.id}"),
        ],
      },
    ],
    requests: [
      "/",
      { target: "/", headers: { Authorization: `Basic ${Buffer.from("bob:hiccup").toString("base64")}` } },
      { target: "/", headers: { Authorization: `Basic ${Buffer.from("bob:wrong").toString("base64")}` } },
      { target: "/", headers: { Authorization: "Bearer x" } },
    ],
  },
  {
    name: "intercept",
    routes: [
      {
        handle: [
          {
            handler: "intercept",
            handle_response: [
              {
                match: { status_code: [404] },
                routes: [
                  { handle: [respond("replaced {http.intercept.status_code}", { status_code: 200 })] },
                ],
              },
              { match: { status_code: [5] }, status_code: 503 },
            ],
          },
          { handler: "static_response", status_code: "{http.request.uri.query.s}", body: "the body" },
        ],
      },
    ],
    requests: ["/?s=200", "/?s=404", "/?s=500"],
  },
  {
    name: "request_body",
    routes: [{ handle: [{ handler: "request_body", max_size: 3 }, respond("{http.request.body}")] }],
    requests: [{ method: "POST", target: "/", body: "abc" }],
  },
  {
    name: "routes",
    routes: [
      { group: "g", match: [{ path: ["/a"] }], handle: [{ handler: "vars", v: "1" }] },
      { group: "g", handle: [{ handler: "vars", v: "2" }] },
      { match: [{ path: ["/t"] }], handle: [respond("terminal")], terminal: true },
      { handle: [respond("{http.vars.v}")] },
    ],
    requests: ["/a", "/b", "/t"],
  },
];
