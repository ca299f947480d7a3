import type { Endpoint } from "../http/endpoint.ts";
import { TypedAnswer } from "../http/typed-answer.ts";

const text = "text/plain; charset=utf-8";

/** The version of Tempo whose API this is. Grafana chooses by it what it asks for. */
const apiVersion = "2.9.0";

/** `GET /api/echo`: what Grafana asks to test a data source. */
export const echoEndpoint: Endpoint = () => new TypedAnswer(text, "echo");

/** `GET /ready`: that requests are answered. Whether the store answers is a matter of the admin port. */
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
