import { defineCommand } from "../cli/command.ts";
import { adapterOption, environmentFileOption } from "./config-options.ts";
import { runOptions, runSettings } from "./run-options.ts";

/** `server kubernetes`. Exit codes are the same as for `run`; a cluster that is not found also means 1. */
export const kubernetes = defineCommand({
  name: "kubernetes",
  summary: "Serve what Ingresses and Gateways of a Kubernetes cluster say, and follow them",
  description: [
    "Watches Ingresses, Gateways, their routes, Services, EndpointSlices and Secrets of a cluster, and keeps a server's configuration equal to them through its admin API. Without --address this process is that server.",
    "An object that is wrong costs only itself; its status, an Event and the log say why. While the API server does not answer, what runs goes on.",
  ],
  options: {
    kubeconfig: {
      kind: "text",
      value: "file",
      completes: "file",
      about: "How the API server is reached",
      defaultText: "the service account of this pod, else $KUBECONFIG, else ~/.kube/config",
    },
    context: { kind: "text", value: "name", about: "Context in that file", defaultText: "the current one" },
    "controller-name": {
      kind: "text",
      value: "name",
      default: "admin-server/kubernetes-controller",
      environment: "KUBERNETES_CONTROLLER_NAME",
      about: "IngressClasses and GatewayClasses with this controller are followed",
    },
    namespaces: {
      kind: "list",
      value: "name",
      environment: "KUBERNETES_NAMESPACES",
      about: "Namespaces that are followed",
      defaultText: "all",
    },
    "http-port": {
      kind: "number",
      value: "port",
      range: [1, 65_535],
      default: 80,
      environment: "KUBERNETES_HTTP_PORT",
      about: "Port of Ingresses without TLS",
    },
    "https-port": {
      kind: "number",
      value: "port",
      range: [1, 65_535],
      default: 443,
      environment: "KUBERNETES_HTTPS_PORT",
      about: "Port of Ingresses with TLS",
    },
    "gateway-addresses": {
      kind: "list",
      value: "address",
      environment: "KUBERNETES_GATEWAY_ADDRESSES",
      about: "IP addresses of this machine of which each Gateway gets one",
      defaultText: "all Gateways share the addresses of the server",
    },
    "publish-addresses": {
      kind: "list",
      value: "address",
      environment: "KUBERNETES_PUBLISH_ADDRESSES",
      about: "IP addresses and names of the server, written to statuses",
    },
    "publish-service": {
      kind: "text",
      value: "namespace/name",
      environment: "KUBERNETES_PUBLISH_SERVICE",
      about: "Service in front of the server, whose addresses are written to statuses",
    },
    address: {
      kind: "text",
      value: "address",
      about: "Admin endpoint of a server to configure: host:port, unix//path/to.sock",
      defaultText: "this process serves",
    },
    config: {
      kind: "text",
      short: "c",
      value: "file",
      completes: "file",
      about: "Configuration to which the sites of the cluster are added",
    },
    adapter: adapterOption,
    envfile: environmentFileOption,
    throttle: {
      kind: "text",
      value: "duration",
      default: "200ms",
      environment: "KUBERNETES_THROTTLE",
      about: "Gathers changes for this long before the server is configured",
    },
    ...runOptions,
  },
  examples: [
    { line: "server kubernetes", about: "In a pod: serves the cluster's Ingresses and Gateways." },
    {
      line: "server kubernetes --kubeconfig ~/.kube/config --address localhost:2019",
      about: "Configures a server that runs elsewhere.",
    },
  ],
  async run(options) {
    const { runKubernetes } = await import("../cli/run-kubernetes.ts");
    return runKubernetes({
      ...runSettings(options),
      kubeconfig: options.kubeconfig,
      context: options.context,
      controllerName: options["controller-name"],
      namespaces: options.namespaces,
      httpPort: options["http-port"],
      httpsPort: options["https-port"],
      gatewayAddresses: options["gateway-addresses"],
      publishAddresses: options["publish-addresses"],
      publishService: options["publish-service"],
      address: options.address,
      config: options.config,
      adapter: options.adapter,
      throttle: options.throttle,
    });
  },
});
