import { StartError } from "lifecycle/errors";
import { defineCommand } from "../cli/command.ts";
import { environmentFileOption } from "./config-options.ts";
import { runOptions, runSettings } from "./run-options.ts";

/** Modes of the process; see `DockerProxyRun`. */
const modes = ["standalone", "controller", "server"] as const;

/**
 * `server docker-proxy`. Exit codes are the same as for `run`; an invalid duration also means 1. Source: the plug-in
 * caddy-docker-proxy, whose options and variables these are
 */
export const dockerProxy = defineCommand({
  name: "docker-proxy",
  summary: "Serve what the labels of containers say, and follow them",
  description: [
    "Labels that begin with caddy become a serverfile: `caddy: example.com` is a site, `caddy.reverse_proxy: {{upstreams 80}}` a line in it. Whenever a container starts or ends, what runs follows without losing a request. Docker and podman are asked through their socket.",
    "A container whose labels are wrong costs its own site only; the log says why. While the engine does not answer, all sites stay as they are.",
  ],
  options: {
    mode: {
      kind: "text",
      value: "mode",
      choices: modes,
      default: "standalone",
      environment: "CADDY_DOCKER_MODE",
      about:
        "standalone serves and follows labels; controller tells servers in containers with the label caddy_controlled_server; server waits for a controller",
    },
    "docker-sockets": {
      kind: "list",
      value: "address",
      environment: "CADDY_DOCKER_SOCKETS",
      about: "Sockets of engines: unix:///path or tcp://host:port",
      defaultText: "$DOCKER_HOST, else unix:///var/run/docker.sock",
    },
    "docker-certs-path": {
      kind: "list",
      value: "folder",
      completes: "folder",
      environment: "CADDY_DOCKER_CERTS_PATH",
      about: "Folders with ca.pem, cert.pem and key.pem, one for each engine",
      defaultText: "$DOCKER_CERT_PATH",
    },
    "docker-apis-version": {
      kind: "list",
      value: "version",
      environment: "CADDY_DOCKER_APIS_VERSION",
      about: "Versions of the API, one for each engine",
      defaultText: "$DOCKER_API_VERSION, else the engine's newest",
    },
    "controller-network": {
      kind: "text",
      value: "range",
      environment: "CADDY_CONTROLLER_NETWORK",
      about: "Network through which controllers and servers talk: 10.200.200.0/24",
    },
    "ingress-networks": {
      kind: "list",
      value: "name",
      environment: "CADDY_INGRESS_NETWORKS",
      about: "Networks through which containers are reached",
      defaultText: "those of this container; all when it runs in none",
    },
    "caddyfile-path": {
      kind: "text",
      value: "file",
      completes: "file",
      environment: "CADDY_DOCKER_CADDYFILE_PATH",
      about: "A serverfile to which labels add",
    },
    envfile: environmentFileOption,
    "label-prefix": {
      kind: "text",
      value: "word",
      default: "caddy",
      environment: "CADDY_DOCKER_LABEL_PREFIX",
      about: "First word of labels",
    },
    "process-caddyfile": {
      kind: "text",
      value: "yes-or-no",
      choices: ["true", "false"],
      default: "true",
      environment: "CADDY_DOCKER_PROCESS_CADDYFILE",
      about: "Leaves out sites that cannot be adapted; else one of them stops every change",
    },
    "scan-stopped-containers": {
      kind: "switch",
      environment: "CADDY_DOCKER_SCAN_STOPPED_CONTAINERS",
      about: "Reads the labels of containers that do not run too",
    },
    "polling-interval": {
      kind: "text",
      value: "duration",
      default: "30s",
      environment: "CADDY_DOCKER_POLLING_INTERVAL",
      about: "Looks at the containers this often, though nothing happened",
    },
    "event-throttle-interval": {
      kind: "text",
      value: "duration",
      default: "100ms",
      environment: "CADDY_DOCKER_EVENT_THROTTLE_INTERVAL",
      about: "Gathers events for this long before it looks",
    },
    ...runOptions,
  },
  examples: [
    { line: "server docker-proxy", about: "Serves the sites that labels of containers name." },
    {
      line: "server docker-proxy --ingress-networks web --docker-sockets unix:///run/podman/podman.sock",
      about: "Follows podman, and reaches containers through the network web.",
    },
  ],
  async run(options) {
    const { runDockerProxy } = await import("../cli/run-docker-proxy.ts");
    const mode = modes.find((each) => each === options.mode);
    if (mode === undefined) {
      throw new StartError(`docker-proxy: --mode is none of ${modes.join(", ")}`);
    }
    return runDockerProxy({
      ...{ mode, ...runSettings(options) },
      sockets: options["docker-sockets"],
      certificates: options["docker-certs-path"],
      versions: options["docker-apis-version"],
      controllerNetwork: options["controller-network"],
      ingressNetworks: options["ingress-networks"],
      file: options["caddyfile-path"],
      prefix: options["label-prefix"],
      leavesOutFaults: options["process-caddyfile"] === "true",
      readsStopped: options["scan-stopped-containers"],
      polling: options["polling-interval"],
      throttle: options["event-throttle-interval"],
    });
  },
});
