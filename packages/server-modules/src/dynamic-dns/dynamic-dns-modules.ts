import { type ListedModule, listed } from "server-core/modules/module";
import { dynamicDnsApp } from "./dynamic-dns-app.ts";
import {
  dynamicDnsText,
  interfaceSourceText,
  simpleHttpText,
  staticSourceText,
  upnpSourceText,
} from "./dynamic-dns-text.ts";
import { interfaceSource, staticSource, upnpSource } from "./local-sources.ts";
import { simpleHttpSource } from "./simple-http.ts";

const sources = "dynamic_dns.ip_sources";

/** The app `dynamic_dns`, and the ways to find addresses. */
export const dynamicDnsModules: readonly ListedModule[] = [
  listed("dynamic_dns", () => dynamicDnsApp, { text: () => dynamicDnsText }),
  listed(`${sources}.interface`, () => interfaceSource, { text: () => interfaceSourceText }),
  listed(`${sources}.simple_http`, () => simpleHttpSource, { text: () => simpleHttpText }),
  listed(`${sources}.static`, () => staticSource, { text: () => staticSourceText }),
  listed(`${sources}.upnp`, () => upnpSource, { text: () => upnpSourceText }),
];
