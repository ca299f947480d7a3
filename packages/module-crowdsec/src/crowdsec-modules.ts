import { type ListedModule, listed } from "server-module-api";
import { appsecHandler } from "./appsec-handler.ts";
import { crowdsecApp } from "./crowdsec-app.ts";
import { crowdsecHandler } from "./crowdsec-handler.ts";
import { crowdsecMatcher } from "./crowdsec-matcher.ts";
import { appsecHandlerText, crowdsecAppText, crowdsecHandlerText } from "./crowdsec-text.ts";

/** A package with this name takes the place of these modules, when a config names it. */
const packageName = "module-crowdsec";

/** The bouncer for the server's own list of modules: each file is loaded when a config names its module. */
export const crowdsecModules: readonly ListedModule[] = [
  listed("crowdsec", () => crowdsecApp, { package: packageName, text: () => crowdsecAppText }),
  listed("http.handlers.crowdsec", () => crowdsecHandler, {
    package: packageName,
    before: "tracing",
    text: () => crowdsecHandlerText,
  }),
  listed("http.handlers.appsec", () => appsecHandler, {
    package: packageName,
    after: "crowdsec",
    text: () => appsecHandlerText,
  }),
  listed("layer4.matchers.crowdsec", () => crowdsecMatcher, { package: packageName }),
];
