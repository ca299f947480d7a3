import type { Endpoint } from "../http/endpoint.ts";
import { TypedAnswer } from "../http/send-pieces.ts";

const text = "text/plain; charset=utf-8";

/** The version of Tempo whose API this is. Grafana chooses its requests by it. */
const apiVersion = "2.9.0";

/** `GET /api/echo`: Grafana tests a data source with it. */
export const echoEndpoint: Endpoint = () => new TypedAnswer(text, "echo");

/** `GET /ready`: the process answers requests. The health of the store is reported on the admin port. */
export const readyEndpoint: Endpoint = () => new TypedAnswer(text, "ready\n");

/** `GET /api/status/buildinfo` */
export const buildInfoEndpoint: Endpoint = () => [
  JSON.stringify({
    version: apiVersion,
    revision: "",
    branch: "",
    buildUser: "",
    buildDate: "",
    goVersion: "",
  }),
];
