import { type ListedModule, listed, type ModuleDefinition } from "server-core/modules/module";
import { firstPolicy } from "server-modules/policies/first";
import { ipHashPolicy } from "server-modules/policies/ip-hash";
import { leastConnPolicy } from "server-modules/policies/least-conn";
import { randomPolicy } from "server-modules/policies/random";
import { randomChoosePolicy } from "server-modules/policies/random-choose";
import { roundRobinPolicy } from "server-modules/policies/round-robin";
import { weightedRoundRobinPolicy } from "server-modules/policies/weighted-round-robin";
import { close } from "./handlers/close.ts";
import { echo } from "./handlers/echo.ts";
import { postgresTls } from "./handlers/postgres-tls.ts";
import { proxyProtocol } from "./handlers/proxy-protocol.ts";
import { socks5 } from "./handlers/socks5/socks5.ts";
import { subroute } from "./handlers/subroute.ts";
import { tee } from "./handlers/tee.ts";
import { throttle } from "./handlers/throttle.ts";
import { tls } from "./handlers/tls.ts";
import { vars } from "./handlers/vars.ts";
import { layer4App } from "./layer4-app.ts";
import { listenerWrapper } from "./listener-wrapper.ts";
import { localIpMatcher, remoteIpMatcher } from "./matchers/address-matchers.ts";
import { clockMatcher } from "./matchers/clock.ts";
import { dnsMatcher } from "./matchers/dns.ts";
import { proxyProtocolMatcher, sshMatcher, xmppMatcher } from "./matchers/first-bytes.ts";
import { httpMatcher } from "./matchers/http.ts";
import { notMatcher } from "./matchers/not.ts";
import { postgresMatcher } from "./matchers/postgres.ts";
import { rdpMatcher } from "./matchers/rdp.ts";
import { regexpMatcher } from "./matchers/regexp.ts";
import { remoteIpListMatcher } from "./matchers/remote-ip-list.ts";
import { socks4Matcher, socks5Matcher } from "./matchers/socks.ts";
import { alpnMatcher, tlsMatcher } from "./matchers/tls.ts";
import { varsMatcher, varsRegexpMatcher } from "./matchers/vars.ts";
import { winboxMatcher } from "./matchers/winbox.ts";
import { proxy } from "./proxy/proxy.ts";
import { layer4Text, listenerWrapperText } from "./text/layer4-text.ts";

/** Copies a policy under another module id. HTTP proxy policies that do not use the request serve both proxies. */
function renamed(id: string, policy: ModuleDefinition): ModuleDefinition {
  return { ...policy, id };
}

const policies = "layer4.proxy.selection_policies";

/** The app `layer4` and its modules. */
export const layer4Modules: readonly ListedModule[] = [
  listed("layer4", () => layer4App, { inWorkers: true, text: () => layer4Text }),
  listed("caddy.listeners.layer4", () => listenerWrapper, { text: () => listenerWrapperText }),
  listed("layer4.handlers.close", () => close),
  listed("layer4.handlers.echo", () => echo),
  listed("layer4.handlers.postgres_tls", () => postgresTls),
  listed("layer4.handlers.proxy", () => proxy),
  listed("layer4.handlers.proxy_protocol", () => proxyProtocol),
  listed("layer4.handlers.socks5", () => socks5),
  listed("layer4.handlers.subroute", () => subroute),
  listed("layer4.handlers.tee", () => tee),
  listed("layer4.handlers.throttle", () => throttle),
  listed("layer4.handlers.tls", () => tls),
  listed("layer4.handlers.vars", () => vars),
  listed("layer4.matchers.clock", () => clockMatcher),
  listed("layer4.matchers.dns", () => dnsMatcher),
  listed("layer4.matchers.http", () => httpMatcher),
  listed("layer4.matchers.local_ip", () => localIpMatcher),
  listed("layer4.matchers.not", () => notMatcher),
  listed("layer4.matchers.postgres", () => postgresMatcher),
  listed("layer4.matchers.proxy_protocol", () => proxyProtocolMatcher),
  listed("layer4.matchers.rdp", () => rdpMatcher),
  listed("layer4.matchers.regexp", () => regexpMatcher),
  listed("layer4.matchers.remote_ip", () => remoteIpMatcher),
  listed("layer4.matchers.remote_ip_list", () => remoteIpListMatcher),
  listed("layer4.matchers.socks4", () => socks4Matcher),
  listed("layer4.matchers.socks5", () => socks5Matcher),
  listed("layer4.matchers.ssh", () => sshMatcher),
  listed("layer4.matchers.tls", () => tlsMatcher),
  listed("layer4.matchers.vars", () => varsMatcher),
  listed("layer4.matchers.vars_regexp", () => varsRegexpMatcher),
  listed("layer4.matchers.winbox", () => winboxMatcher),
  listed("layer4.matchers.xmpp", () => xmppMatcher),
  listed("tls.handshake_match.alpn", () => alpnMatcher),
  listed(`${policies}.first`, () => renamed(`${policies}.first`, firstPolicy)),
  listed(`${policies}.ip_hash`, () => renamed(`${policies}.ip_hash`, ipHashPolicy)),
  listed(`${policies}.least_conn`, () => renamed(`${policies}.least_conn`, leastConnPolicy)),
  listed(`${policies}.random`, () => renamed(`${policies}.random`, randomPolicy)),
  listed(`${policies}.random_choose`, () => renamed(`${policies}.random_choose`, randomChoosePolicy)),
  listed(`${policies}.round_robin`, () => renamed(`${policies}.round_robin`, roundRobinPolicy)),
  listed(`${policies}.weighted_round_robin`, () =>
    renamed(`${policies}.weighted_round_robin`, weightedRoundRobinPolicy),
  ),
];
