import { match, type SiteCase } from "./site-case.ts";

/** Cases for every matcher. */
export const matcherCases: readonly SiteCase[] = [
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
];
