import { respond, type SiteCase } from "./site-case.ts";

/**
 * The request as the upstream received it, as one text. `Accept-Encoding` is left out, because tests of the transport
 * check it.
 */
const told = respond(
  "{http.request.method} {http.request.uri} {http.request.hostport} {http.request.header.X-Forwarded-For} {http.request.header.X-Forwarded-Proto} {http.request.header.X-Forwarded-Host} {http.request.header.Connection} {http.request.header.Te} {http.request.header.X-A} {http.request.header.X-Named} {http.request.header.Proxy-Authorization}",
);

/**
 * A site that is its own upstream: requests of the proxy have a mark. @param inner handler for requests with the mark
 */
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

export const proxyCases: readonly SiteCase[] = [
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
  behindItself(
    "reverse_proxy, changed fields",
    respond(
      "{http.request.host} {http.request.header.X-Set} {http.request.header.X-Rep} {http.request.header.X-Rm-1}{http.request.header.The-End} {http.request.header.Cookie}",
      { headers: { "X-Up": ["u1", "u2"], "X-Del": ["1"], "X-Wild-A": ["1"] } },
    ),
    {
      headers: {
        request: {
          set: { "X-Inner": ["1"], "X-Set": ["{http.request.host}"] },
          delete: ["X-Rm*", "*-End"],
          replace: {
            "X-Rep": [{ search_regexp: "a(.)", replace: "<$1>" }],
            Cookie: [{ search: "x=1", replace: "x=2" }],
          },
        },
        response: {
          add: { "X-Up": ["u3"] },
          set: { "X-S": ["{http.reverse_proxy.status_code} {http.reverse_proxy.header.X-Del}"] },
          delete: ["X-Del", "X-Wild-*"],
          replace: { "X-Up": [{ search: "u", replace: "v" }] },
        },
      },
    },
    [
      {
        target: "/",
        headers: { "X-Rm-1": "a", "The-End": "c", "X-Rep": "abac", Cookie: "x=1; y=2", "X-Set": "client" },
      },
    ],
  ),
  behindItself(
    "reverse_proxy, statuses without a body",
    { ...respond("body", { status_code: "{http.request.uri.query.s}" }) },
    {},
    ["/?s=204", "/?s=304", "/?s=205", "/?s=418", { method: "HEAD", target: "/?s=200" }],
  ),
  behindItself(
    "reverse_proxy handle_response by fields",
    answering,
    {
      handle_response: [
        { match: { headers: { "X-Up": ["no"] } }, status_code: 299 },
        {
          match: { status_code: [4], headers: { "X-Up": ["u*"] } },
          routes: [
            {
              handle: [
                { handler: "copy_response_headers", exclude: ["X-Up", "Content-Length"] },
                respond("own {http.reverse_proxy.status_text}", { status_code: 203 }),
              ],
            },
          ],
        },
        { match: { status_code: [502] }, routes: [{ handle: [{ handler: "error", status_code: 402 }] }] },
      ],
    },
    ["/?s=200", "/?s=404", "/?s=502"],
  ),
  {
    name: "reverse_proxy to nobody",
    routes: [{ handle: [{ handler: "reverse_proxy", upstreams: [{ dial: "127.0.0.1:1" }] }] }],
    requests: ["/", { method: "POST", target: "/", body: "b" }],
  },
  { name: "reverse_proxy to none", routes: [{ handle: [{ handler: "reverse_proxy" }] }], requests: ["/"] },
];
