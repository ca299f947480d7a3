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

const respond = (body: string, more: object = {}) => ({ handler: "static_response", body, ...more });
const match = (matcher: object, body = "yes") => [
  { match: [matcher], handle: [respond(body)] },
  { handle: [respond("no")] },
];
const files = (config: object = {}) => [{ handle: [{ handler: "file_server", root: "ROOT", ...config }] }];

/** The target as handlers see it after others changed it. */
const echo = respond("{http.request.method} {http.request.uri}");

/** What an upstream was told, as a text. `Accept-Encoding` is not in it: ours asks for no compression by itself. */
const told = respond(
  "{http.request.method} {http.request.uri} {http.request.hostport} {http.request.header.X-Forwarded-For} {http.request.header.X-Forwarded-Proto} {http.request.header.X-Forwarded-Host} {http.request.header.Connection} {http.request.header.Te} {http.request.header.X-A} {http.request.header.X-Named} {http.request.header.Proxy-Authorization}",
);

/** The site behind itself: what the proxy sends arrives with a mark. @param inner what answers then */
function behindItself(name: string, inner: unknown, proxy: object, requests: SiteCase["requests"]): SiteCase {
  return {
    name,
    routes: [
      { match: [{ header: { "X-Inner": ["1"] } }], handle: [inner], terminal: true },
      {
        handle: [
          {
            handler: "reverse_proxy",
            upstreams: [{ dial: "127.0.0.1:{http.request.local.port}" }],
            headers: { request: { set: { "X-Inner": ["1"] } }, response: { set: { "X-Down": ["1"] } } },
            ...proxy,
          },
        ],
      },
    ],
    requests,
  };
}

const answering = {
  ...respond("inner", { status_code: "{http.request.uri.query.s}" }),
  headers: { "X-Up": ["u"] },
};

const proxyCases: readonly SiteCase[] = [
  behindItself("reverse_proxy", told, {}, [
    "/a/b?c=d&e",
    "/a%2Fb/../c//d",
    {
      target: "/",
      headers: { "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "h" },
    },
    { target: "/", headers: { Connection: "X-Named", "X-Named": "1", "X-A": "a", TE: "trailers, gzip" } },
    { target: "/", headers: { "Proxy-Authorization": "secret", "Keep-Alive": "1" } },
    { method: "POST", target: "/p", body: "body" },
    { method: "DELETE", target: "/p" },
    { method: "HEAD", target: "/p" },
  ]),
  behindItself("reverse_proxy trusted_proxies", told, { trusted_proxies: ["127.0.0.1/8"] }, [
    "/",
    {
      target: "/",
      headers: { "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "h" },
    },
  ]),
  behindItself("reverse_proxy rewrite", told, { rewrite: { method: "GET", uri: "/auth?x=1" } }, [
    "/a?b",
    { method: "POST", target: "/a", body: "body" },
  ]),
  behindItself(
    "reverse_proxy handle_response",
    answering,
    {
      handle_response: [
        { match: { status_code: [4] }, status_code: 203 },
        {
          match: { status_code: [500] },
          routes: [
            {
              handle: [
                { handler: "copy_response_headers", include: ["X-Up"] },
                respond("was {http.reverse_proxy.status_code} {http.reverse_proxy.header.X-Up}"),
              ],
            },
          ],
        },
        {
          match: { status_code: [503] },
          routes: [{ handle: [{ handler: "copy_response", status_code: 299 }] }],
        },
      ],
    },
    ["/?s=200", "/?s=404", "/?s=500", "/?s=503"],
  ),
  {
    name: "reverse_proxy to nobody",
    routes: [{ handle: [{ handler: "reverse_proxy", upstreams: [{ dial: "127.0.0.1:1" }] }] }],
    requests: ["/", { method: "POST", target: "/", body: "b" }],
  },
  { name: "reverse_proxy to none", routes: [{ handle: [{ handler: "reverse_proxy" }] }], requests: ["/"] },
];

export const siteCases: readonly SiteCase[] = [
  {
    name: "path",
    routes: match({ path: ["/a*", "*.php", "/x/*/z", "/esc%20aped", "/q?", "/[ab]c", "*mid*"] }),
    requests: [
      "/a",
      "/abc/d",
      "/b",
      "/X.PHP",
      "/x/y/z",
      "/x/y/y/z",
      "/esc%20aped",
      "/qq",
      "/q",
      "/bc",
      "/cc",
      "/amidst",
      "//a",
      "/x/../a",
      "/%61",
    ],
  },
  { name: "path // ", routes: match({ path: ["//two"] }), requests: ["//two", "/two"] },
  {
    name: "path_regexp",
    routes: match(
      { path_regexp: { name: "p", pattern: "^/u/(?P<id>\\d+)(/x)?" } },
      "{http.regexp.p.id}|{http.regexp.p.2}|{http.regexp.1}",
    ),
    requests: ["/u/12", "/u/12/x", "/u/x", "//u/7"],
  },
  {
    name: "method",
    routes: match({ method: ["POST", "put"] }),
    requests: ["/", { method: "POST", target: "/" }, { method: "PUT", target: "/" }],
  },
  {
    name: "header",
    routes: match({ header: { "X-A": ["one", "two*", "*three", "*four*"], "X-B": null } }),
    requests: ["one", "two more", "a three", "a four b", "five"].flatMap((value) => [
      { target: "/", headers: { "X-A": value } },
      { target: "/", headers: { "X-A": value, "X-B": "" } },
    ]),
  },
  {
    name: "header []",
    routes: match({ header: { "X-A": [] } }),
    requests: ["/", { target: "/", headers: { "X-A": "" } }],
  },
  {
    name: "header_regexp",
    routes: match({ header_regexp: { "X-A": { name: "h", pattern: "^v(\\d)" } } }, "{http.regexp.h.1}"),
    requests: ["/", { target: "/", headers: { "X-A": "v5" } }],
  },
  {
    name: "query",
    routes: match({ query: { a: ["1", "2"], b: ["*"] } }),
    requests: ["/", "/?a=1", "/?a=1&b", "/?b=x&a=2", "/?a=3&b=1", "/?a=1&b=%zz", "/?a=%31&b=+", "/?a=1;b=2"],
  },
  { name: "query {}", routes: match({ query: {} }), requests: ["/", "/?", "/?a"] },
  { name: "protocol", routes: match({ protocol: "http/1.1+" }), requests: ["/"] },
  {
    name: "protocol grpc",
    routes: match({ protocol: "grpc" }),
    requests: ["/", { target: "/", headers: { "Content-Type": "application/grpc" } }],
  },
  { name: "remote_ip", routes: match({ remote_ip: { ranges: ["127.0.0.0/8"] } }), requests: ["/"] },
  {
    name: "client_ip",
    routes: match({ client_ip: { ranges: ["10.0.0.1"] } }),
    requests: ["/", { target: "/", headers: { "X-Forwarded-For": "10.0.0.1" } }],
  },
  {
    name: "not",
    routes: match({ not: [{ method: ["GET"], path: ["/a"] }, { path: ["/b"] }] }),
    requests: ["/a", "/b", "/c", { method: "POST", target: "/a" }],
  },
  ...[
    "path('/a*') && method('GET')",
    "{http.request.uri.path}.startsWith('/a')",
    "header({'X-A': '1'}) || query({'q': ['1', '2']})",
    "path_regexp('n', '^/(a)') && {http.regexp.n.1} == 'a'",
    "{http.request.host} == 'nobody' ? false : true",
    "!protocol('https') && remote_ip('127.0.0.1/8')",
    "vars({'{http.request.method}': ['GET']})",
    "file({'root': 'ROOT', 'try_files': ['/a.txt']})",
    "['a', 'b'].exists(x, '/' + x == {http.request.uri.path})",
  ].map((expression) => ({
    name: `expression ${expression}`,
    routes: match({ expression }),
    requests: ["/a", "/b", "/c?q=2"],
  })),
  {
    name: "file",
    routes: match(
      {
        file: {
          root: "ROOT",
          try_files: ["{http.request.uri.path}", "{http.request.uri.path}/", "/folder/*.txt"],
        },
      },
      "{http.matchers.file.relative} {http.matchers.file.type}",
    ),
    requests: ["/a.txt", "/folder", "/nothing", "/../a.txt", "/*.txt"],
  },
  {
    name: "file split_path",
    routes: match(
      { file: { root: "ROOT", split_path: [".php"] } },
      "{http.matchers.file.relative} {http.matchers.file.remainder}",
    ),
    requests: ["/script.php/more", "/script.php", "/script.php5"],
  },
  {
    name: "file =404",
    routes: match({ file: { root: "ROOT", try_files: ["/none", "=410"] } }),
    requests: ["/"],
  },
  ...["first_exist_fallback", "largest_size", "smallest_size"].map((try_policy) => ({
    name: `file ${try_policy}`,
    routes: match(
      { file: { root: "ROOT", try_policy, try_files: ["/a.txt", "/style.css", "/last"] } },
      "{http.matchers.file.relative}",
    ),
    requests: ["/"],
  })),
  {
    name: "vars",
    routes: [
      { handle: [{ handler: "vars", a: "x{http.request.method}", n: 5 }] },
      ...match({ vars: { a: ["xGET"] } }, "{http.vars.a} {http.vars.n}"),
    ],
    requests: ["/", { method: "POST", target: "/" }],
  },
  {
    name: "vars_regexp",
    routes: match(
      { vars_regexp: { "{http.request.uri.path}": { name: "v", pattern: "/(.)" } } },
      "{http.regexp.v.1}",
    ),
    requests: ["/z", "/"],
  },
  {
    name: "url_pattern",
    routes: match(
      { url_pattern: { pattern: "/books/:id/*" } },
      "{http.url_pattern.pathname.id}|{http.url_pattern.pathname.0}",
    ),
    requests: ["/books/1/a/b", "/books/1", "/books//x", "/x/../books/2/"],
  },
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
  ...proxyCases,
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
