import type { ModuleDefinition } from "../../../core/modules/module.ts";
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
export const proxyModules: readonly ModuleDefinition[] = [
  reverseProxy,
  copyResponse,
  copyResponseHeaders,
  httpTransport,
  fastcgiTransport,
  randomPolicy,
  randomChoosePolicy,
  firstPolicy,
  roundRobinPolicy,
  weightedRoundRobinPolicy,
  leastConnPolicy,
  ipHashPolicy,
  clientIpHashPolicy,
  uriHashPolicy,
  queryPolicy,
  headerPolicy,
  cookiePolicy,
  aUpstreams,
  srvUpstreams,
  multiUpstreams,
];
