import { type ListedModule, listed } from "server-core/modules/module";
import { clientIpHashPolicy } from "../../policies/client-ip-hash.ts";
import { cookiePolicy } from "../../policies/cookie.ts";
import { firstPolicy } from "../../policies/first.ts";
import { headerPolicy } from "../../policies/header.ts";
import { ipHashPolicy } from "../../policies/ip-hash.ts";
import { leastConnPolicy } from "../../policies/least-conn.ts";
import { queryPolicy } from "../../policies/query.ts";
import { randomPolicy } from "../../policies/random.ts";
import { randomChoosePolicy } from "../../policies/random-choose.ts";
import { roundRobinPolicy } from "../../policies/round-robin.ts";
import { uriHashPolicy } from "../../policies/uri-hash.ts";
import { weightedRoundRobinPolicy } from "../../policies/weighted-round-robin.ts";
import { copyResponse } from "./response/copy-response.ts";
import { copyResponseHeaders } from "./response/copy-response-headers.ts";
import { reverseProxy } from "./reverse-proxy.ts";
import { fastcgiTransport } from "./transport/fastcgi/fastcgi-transport.ts";
import { httpTransport } from "./transport/http-transport.ts";
import { aUpstreams } from "./upstreams/a.ts";
import { multiUpstreams } from "./upstreams/multi.ts";
import { srvUpstreams } from "./upstreams/srv.ts";

/** The reverse proxy and all that plugs into it. */
export const proxyModules: readonly ListedModule[] = [
  listed("http.handlers.reverse_proxy", () => reverseProxy),
  listed("http.handlers.copy_response", () => copyResponse),
  listed("http.handlers.copy_response_headers", () => copyResponseHeaders),
  listed("http.reverse_proxy.transport.http", () => httpTransport),
  listed("http.reverse_proxy.transport.fastcgi", () => fastcgiTransport),
  listed("http.reverse_proxy.selection_policies.random", () => randomPolicy),
  listed("http.reverse_proxy.selection_policies.random_choose", () => randomChoosePolicy),
  listed("http.reverse_proxy.selection_policies.first", () => firstPolicy),
  listed("http.reverse_proxy.selection_policies.round_robin", () => roundRobinPolicy),
  listed("http.reverse_proxy.selection_policies.weighted_round_robin", () => weightedRoundRobinPolicy),
  listed("http.reverse_proxy.selection_policies.least_conn", () => leastConnPolicy),
  listed("http.reverse_proxy.selection_policies.ip_hash", () => ipHashPolicy),
  listed("http.reverse_proxy.selection_policies.client_ip_hash", () => clientIpHashPolicy),
  listed("http.reverse_proxy.selection_policies.uri_hash", () => uriHashPolicy),
  listed("http.reverse_proxy.selection_policies.query", () => queryPolicy),
  listed("http.reverse_proxy.selection_policies.header", () => headerPolicy),
  listed("http.reverse_proxy.selection_policies.cookie", () => cookiePolicy),
  listed("http.reverse_proxy.upstreams.a", () => aUpstreams),
  listed("http.reverse_proxy.upstreams.srv", () => srvUpstreams),
  listed("http.reverse_proxy.upstreams.multi", () => multiUpstreams),
];
