import type { Endpoint } from "../http/endpoint.ts";
import { TypedAnswer } from "../http/send-pieces.ts";

const text = "text/plain; charset=utf-8";

/** The Tempo version whose API this process serves. Grafana chooses its requests by this version. */
const apiVersion = "2.9.0";

/** `GET /api/echo`: Grafana sends this request to test a data source. */
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
