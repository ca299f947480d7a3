// The HTTP server over a store, for tests.
import { createLogger, parseHostPort } from "lifecycle";
import { UiPage } from "../http/ui-page.ts";
import { type HttpServer, type HttpServerSettings, openHttpServer } from "../server/http-server.ts";
import { type SampleStore, sampleService, sampleSettings } from "./sample-service.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

export interface SampleServer extends HttpServer {
  /** `http://host:port` */
  readonly base: string;
}

/** Opens a server. @param changes settings that replace the defaults */
export async function openSampleServer(
  store: SampleStore,
  changes: Partial<HttpServerSettings> = {},
): Promise<SampleServer> {
  const address = parseHostPort("127.0.0.1:0");
  if (address === undefined) {
    throw new Error("not an address");
  }
  const server = await openHttpServer({
    ...sampleSettings(),
    address,
    tls: undefined,
    service: sampleService(store),
    page: await UiPage.open({ folder: "/nowhere", configFile: "" }, log),
    uiFolder: "/nowhere",
    basePath: "",
    log,
    ...changes,
  });
  return { ...server, base: `http://127.0.0.1:${server.port}` };
}
