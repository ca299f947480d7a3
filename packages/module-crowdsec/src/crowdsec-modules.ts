import { type ListedModule, listed } from "server-module-api";
import { appsecHandler } from "./appsec-handler.ts";
import { crowdsecApp } from "./crowdsec-app.ts";
import { crowdsecHandler } from "./crowdsec-handler.ts";
import { crowdsecMatcher } from "./crowdsec-matcher.ts";
import { appsecHandlerText, crowdsecAppText, crowdsecHandlerText } from "./crowdsec-text.ts";

/** A package of this name replaces these modules when a config lists it under `modules`. */
const packageName = "module-crowdsec";

/** The CrowdSec modules in the server's own list. Each file is loaded when a config names its module. */
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
