import { type ListedModule, listed } from "server-core/modules/module";
import { copyResponse } from "./handlers/copy-response/copy-response.ts";
import { copyResponseText } from "./handlers/copy-response/copy-response-text.ts";
import { copyResponseHeaders } from "./handlers/copy-response-headers/copy-response-headers.ts";
import { copyResponseHeadersText } from "./handlers/copy-response-headers/copy-response-headers-text.ts";
import { reverseProxy } from "./handlers/reverse-proxy/reverse-proxy.ts";
import { upstreamTexts } from "./handlers/reverse-proxy/text/dynamic-upstreams-text.ts";
import { fastcgiTransportText } from "./handlers/reverse-proxy/text/fastcgi-transport-text.ts";
import { httpTransportText } from "./handlers/reverse-proxy/text/http-transport-text.ts";
import { reverseProxyText } from "./handlers/reverse-proxy/text/reverse-proxy-text.ts";
import { fastcgiTransport } from "./handlers/reverse-proxy/transport/fastcgi/fastcgi-transport.ts";
import { httpTransport } from "./handlers/reverse-proxy/transport/http-transport.ts";
import { aUpstreams } from "./handlers/reverse-proxy/upstreams/a.ts";
import { multiUpstreams } from "./handlers/reverse-proxy/upstreams/multi.ts";
import { srvUpstreams } from "./handlers/reverse-proxy/upstreams/srv.ts";
import { clientIpHashPolicy } from "./policies/client-ip-hash.ts";
import { cookiePolicy } from "./policies/cookie.ts";
import { firstPolicy } from "./policies/first.ts";
import { headerPolicy } from "./policies/header.ts";
import { ipHashPolicy } from "./policies/ip-hash.ts";
import { leastConnPolicy } from "./policies/least-conn.ts";
import { policyTexts } from "./policies/policies-text.ts";
import { queryPolicy } from "./policies/query.ts";
import { randomPolicy } from "./policies/random.ts";
import { randomChoosePolicy } from "./policies/random-choose.ts";
import { roundRobinPolicy } from "./policies/round-robin.ts";
import { uriHashPolicy } from "./policies/uri-hash.ts";
import { weightedRoundRobinPolicy } from "./policies/weighted-round-robin.ts";

/** The reverse proxy and its modules. */
export const proxyModules: readonly ListedModule[] = [
  listed("http.handlers.reverse_proxy", () => reverseProxy, {
    directives: ["forward_auth", "reverse_proxy", "php_fastcgi"],
    text: () => reverseProxyText,
  }),
  listed("http.handlers.copy_response", () => copyResponse, { text: () => copyResponseText }),
  listed("http.handlers.copy_response_headers", () => copyResponseHeaders, {
    text: () => copyResponseHeadersText,
  }),
  listed("http.reverse_proxy.transport.http", () => httpTransport, { text: () => httpTransportText }),
  listed("http.reverse_proxy.transport.fastcgi", () => fastcgiTransport, {
    text: () => fastcgiTransportText,
  }),
  listed("http.reverse_proxy.selection_policies.random", () => randomPolicy, {
    text: () => policyTexts.random,
  }),
  listed("http.reverse_proxy.selection_policies.random_choose", () => randomChoosePolicy, {
    text: () => policyTexts.random_choose,
  }),
  listed("http.reverse_proxy.selection_policies.first", () => firstPolicy, { text: () => policyTexts.first }),
  listed("http.reverse_proxy.selection_policies.round_robin", () => roundRobinPolicy, {
    text: () => policyTexts.round_robin,
  }),
  listed("http.reverse_proxy.selection_policies.weighted_round_robin", () => weightedRoundRobinPolicy, {
    text: () => policyTexts.weighted_round_robin,
  }),
  listed("http.reverse_proxy.selection_policies.least_conn", () => leastConnPolicy, {
    text: () => policyTexts.least_conn,
  }),
  listed("http.reverse_proxy.selection_policies.ip_hash", () => ipHashPolicy, {
    text: () => policyTexts.ip_hash,
  }),
  listed("http.reverse_proxy.selection_policies.client_ip_hash", () => clientIpHashPolicy, {
    text: () => policyTexts.client_ip_hash,
  }),
  listed("http.reverse_proxy.selection_policies.uri_hash", () => uriHashPolicy, {
    text: () => policyTexts.uri_hash,
  }),
  listed("http.reverse_proxy.selection_policies.query", () => queryPolicy, { text: () => policyTexts.query }),
  listed("http.reverse_proxy.selection_policies.header", () => headerPolicy, {
    text: () => policyTexts.header,
  }),
  listed("http.reverse_proxy.selection_policies.cookie", () => cookiePolicy, {
    text: () => policyTexts.cookie,
  }),
  listed("http.reverse_proxy.upstreams.a", () => aUpstreams, { text: () => upstreamTexts.a }),
  listed("http.reverse_proxy.upstreams.srv", () => srvUpstreams, { text: () => upstreamTexts.srv }),
  listed("http.reverse_proxy.upstreams.multi", () => multiUpstreams, { text: () => upstreamTexts.multi }),
];
