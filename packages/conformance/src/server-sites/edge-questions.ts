import { match, type SiteCase, type SiteRequest } from "./site-case.ts";

type Requests = readonly (SiteRequest | string)[];

const withHeaders = (headers: Readonly<Record<string, string>>, target: string): SiteRequest => ({
  target,
  headers,
});

/** Matchers with unusual configs, and requests for them. */
const matchers: readonly (readonly [name: string, config: unknown, requests: Requests])[] = [
  ["vars", { "{http.request.uri.path}": ["/a", "{http.request.uri.query.p}"] }, ["/a", "/b?p=/b", "/b"]],
  ["vars", { k: ["v"] }, ["/"]],
  ["vars", { k: [] }, ["/"]],
  ["vars", {}, ["/"]],
  ["vars_regexp", { "{http.request.uri.path}": { pattern: "^/(\\d+)" } }, ["/12", "/x"]],
  ["header", { "X-A": ["*b*"] }, [withHeaders({ "X-A": "abc" }, "/"), withHeaders({ "X-A": "b" }, "/"), "/"]],
  ["header", { "X-A": ["*"] }, [withHeaders({ "X-A": "" }, "/"), "/"]],
  [
    "header",
    { "X-A": ["{http.request.uri.query.h}"] },
    [withHeaders({ "X-A": "q" }, "/?h=q"), withHeaders({ "X-A": "q" }, "/")],
  ],
  ["header", { Host: ["case*"] }, ["/"]],
  ["header", { "x-a": ["A"] }, [withHeaders({ "X-A": "A" }, "/"), withHeaders({ "X-A": "a" }, "/")]],
  [
    "header_regexp",
    { "X-A": { name: "h", pattern: "^(a|b)$" } },
    [withHeaders({ "X-A": "a" }, "/"), withHeaders({ "X-A": "ab" }, "/")],
  ],
  ["query", { a: ["1", "2"], b: ["*"] }, ["/?a=2&b=", "/?a=1", "/?a=3&a=1&b", "/?b=1&a=%31"]],
  ["query", { a: ["x*"] }, ["/?a=xy", "/?a=x*"]],
  ["query", { "{http.request.method}": ["1"] }, ["/?GET=1"]],
  ["query", { a: ["{http.request.method}"] }, ["/?a=GET"]],
  ["query", { "": [""] }, ["/?=", "/?"]],
  ["path", ["/a/*/c"], ["/a/b/c", "/a/b/d/c", "/a//c"]],
  ["path", ["*.php"], ["/x.PHP", "/x.php/", "/x.php%20"]],
  ["path", ["/a%2fb"], ["/a%2Fb", "/a/b"]],
  ["path", ["/a%2fb/*"], ["/a%2fb/c", "/a/b/c"]],
  ["path", ["/a//b"], ["/a//b", "/a/b"]],
  ["path", ["*"], ["/", "/a"]],
  ["path", ["/"], ["/", "/a"]],
  ["path", ["/a/"], ["/a", "/a/"]],
  ["path", ["/[ab]"], ["/a", "/c"]],
  ["path", ["/?"], ["/a", "/ab", "/%3f"]],
  ["path", ["*/b/*"], ["/a/b/c", "/b/c", "/a/b"]],
  ["path", ["/{http.request.method}"], ["/GET", "/get"]],
  ["path", ["/%25"], ["/%25"]],
  ["path", ["/a*b*"], ["/a1b2", "/ab/c"]],
  ["path", ["/bands/%*/songs"], ["/bands/a%2fb/songs", "/bands/a/songs"]],
  ["path_regexp", { pattern: "a%20b" }, ["/a%20b"]],
  ["path_regexp", { pattern: "a b" }, ["/a%20b"]],
  ["path_regexp", { pattern: "(?i)^/AB$" }, ["/ab", "/abc"]],
  ["path_regexp", { pattern: "//" }, ["/a//b"]],
  ["method", ["get"], ["/"]],
  ["method", ["GET", "FOO"], [{ method: "DELETE", target: "/" }]],
  ["protocol", "http", ["/"]],
  ["protocol", "http/1.1", ["/"]],
  ["protocol", "http/1.0+", ["/"]],
  ["protocol", "http/2", ["/"]],
  ["protocol", "grpc", [withHeaders({ "content-type": "application/grpc+proto" }, "/"), "/"]],
  ["remote_ip", { ranges: ["127.0.0.0/8"] }, ["/"]],
  ["remote_ip", { ranges: ["::1", "10.0.0.1"] }, ["/"]],
  ["client_ip", { ranges: ["127.0.0.1"] }, [withHeaders({ "X-Forwarded-For": "9.9.9.9" }, "/")]],
  ["not", [], ["/"]],
  ["not", [{}], ["/"]],
  [
    "not",
    [{ path: ["/a"] }, { method: ["GET"] }],
    ["/b", { method: "PUT", target: "/a" }, { method: "PUT", target: "/b" }],
  ],
  ["host", ["*.test"], ["/"]],
  ["host", ["CASE*"], ["/"]],
  ["host", [], ["/"]],
  ["host", ["{http.request.host}"], ["/"]],
  [
    "expression",
    "path('/a*') && method('GET') || header({'X-A': ['1', '2']})",
    ["/ab", "/b", withHeaders({ "X-A": "2" }, "/b")],
  ],
  ["expression", "{http.request.uri.path}.startsWith('/a')", ["/ab", "/b"]],
  [
    "expression",
    "{http.request.uri.query.n} == '5' || int({http.request.uri.query.n}) > 7",
    ["/?n=5", "/?n=8", "/?n=6"],
  ],
  ["expression", "query({'a': '1'})", ["/?a=1", "/"]],
  ["expression", "path_regexp('r', '^/(x+)') && {http.regexp.r.1} == 'xx'", ["/xx", "/x"]],
  ["expression", "protocol('http') && !host('none')", ["/"]],
  ["expression", "remote_ip('127.0.0.1') && client_ip('127.0.0.1')", ["/"]],
  ["expression", "{http.request.header.X-A} in ['a', 'b']", [withHeaders({ "X-A": "b" }, "/"), "/"]],
  [
    "expression",
    { expr: "header_regexp('X-A', '^a(b)')", name: "e" },
    [withHeaders({ "X-A": "ab" }, "/"), "/"],
  ],
  [
    "file",
    { root: "ROOT", try_files: ["{http.request.uri.path}", "{http.request.uri.path}/", "/index.html"] },
    ["/a.txt", "/folder", "/folder/", "/nope"],
  ],
  ["file", { root: "ROOT", try_files: ["/*.txt"], try_policy: "largest_size" }, ["/"]],
  ["file", { root: "ROOT", try_files: ["/a.txt", "/absent"], try_policy: "first_exist_fallback" }, ["/"]],
  [
    "file",
    { root: "ROOT", try_files: ["{http.request.uri.path}"], split_path: [".php"] },
    ["/script.php/extra", "/script.PHP/x"],
  ],
  ["file", { root: "ROOT/list", try_files: ["/one.txt", "/two.txt"], try_policy: "smallest_size" }, ["/"]],
  ["file", { root: "ROOT" }, ["/../a.txt", "/with%20space.txt", "/folder"]],
  ["url_pattern", { pattern: "/b/*", ignore_case: true }, ["/B/x"]],
];

/** Templates that call functions of sprig. */
const templates: readonly string[] = [
  '{{camelcase "http_server"}} {{snakecase "HTTPServer a-b"}} {{kebabcase "FooBar9X"}} {{wrapWith 5 "|" "Hello World a b"}} {{wrap 80 "a b"}}',
  '{{initials "Ab Cd ef"}} {{swapcase "aB c"}} {{plural "one" "many" 1}} {{abbrevboth 5 10 "1234 5678 9123"}} {{trimall "$" "$5$"}} {{toDecimal "0777"}}',
  '{{b32enc "hello,"}} {{b32dec "NBSWY3DP"}} {{adler32sum "abc"}} {{base "/a/b.c"}} {{dir "/a/b.c"}} {{clean "/a/../b//c/"}} {{ext "a.b.c"}} {{isAbs "a"}} {{base ""}} {{dir "a"}}',
  '{{regexFindAll "[a-c]" "abcabc" 2}} {{regexSplit "b" "abcba" -1}} {{regexSplit "b" "abcba" 2}} {{regexQuoteMeta "a.b*c"}} {{regexReplaceAllLiteral "b" "abc" "$1"}}',
  '{{chunk 2 (list 1 2 3)}} {{dig "a" "b" "no" (dict "a" (dict "b" 5))}} {{dig "a" "x" "no" (dict "a" (dict "b" 5))}} {{merge (dict "a" 1) (dict "a" 2 "b" 3)}} {{mergeOverwrite (dict "a" 1) (dict "a" 2 "b" 3)}} {{omit (dict "z" 1 "b" 2) "b"}} {{pluck "a" (dict "a" 1) (dict "b" 2)}}',
  '{{kindOf 1}} {{kindOf 1.5}} {{kindOf "a"}} {{kindOf (list 1)}} {{kindOf (dict)}} {{kindOf true}} {{typeOf (list 1)}} {{typeOf (dict)}} {{typeOf 1}} {{kindIs "int" 1}} {{deepEqual (list 1) (list 1)}} {{all 1 2 0}} {{any 0 1}} {{tuple 1 2}}',
  '{{addf 1.5 2}} {{subf 3 1.5}} {{mulf 1.5 2}} {{divf 10 4}} {{maxf 1 2.5}} {{minf 1 2.5}} {{add1f 1.5}} {{biggest 1 4 2}} {{duration "3725"}} {{htmlDate (toDate "2006-01-02" "2020-05-06")}}',
  '{{toStrings (list 1 "a")}} {{dict "b" 1 "a" 2}} {{toRawJson (dict "a" "<")}} {{toJson (dict "a" "<")}} {{mustToJson (list 1)}} {{mustFirst (list 4 5)}} {{hello}} {{(urlParse "http://u:p@h:8/p?q=1#f").host}} {{urlJoin (dict "scheme" "http" "host" "h" "path" "/p" "query" "a=b")}}',
  '{{ pathEscape "a b" }}',
];

/** Forms that users rarely write. */
export const edgeCases: readonly SiteCase[] = [
  ...matchers.map(([name, config, requests]) => ({
    name: `match ${name} ${JSON.stringify(config)}`,
    routes: match({ [name]: config }),
    requests,
  })),
  ...templates.map((text) => ({
    name: `templates ${text}`,
    routes: [
      {
        handle: [
          { handler: "templates", file_root: "ROOT" },
          {
            handler: "static_response",
            headers: { "Content-Type": ["text/html"] },
            body: "{http.request.header.T}",
          },
        ],
      },
    ],
    requests: [withHeaders({ T: text }, "/p?q=1")],
  })),
];
