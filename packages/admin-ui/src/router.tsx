import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  type SearchSchemaInput,
} from "@tanstack/react-router";
import { NoSuchPage } from "ui-kit/components/no-such-page.tsx";
import { routerSettings } from "ui-kit/search-parameters.ts";
import { AppFrame } from "./app-frame.tsx";
import { FailureNotice } from "./components/failure-notice.tsx";
import { type CertificatesAddress, certificatesAddress } from "./pages/certificates/certificates-address.ts";
import { type ConfigAddress, configAddress } from "./pages/config/config-address.ts";
import { type HistoryAddress, historyAddress } from "./pages/history/history-address.ts";
import { type ImportAddress, importAddress } from "./pages/import/import-address.ts";
import { type ListenersAddress, listenersAddress } from "./pages/listeners/listeners-address.ts";
import { OverviewPage } from "./pages/overview/overview-page.tsx";
import { type RoutesAddress, routesAddress } from "./pages/routes/routes-address.ts";
import { type TryAddress, tryAddress } from "./pages/try/try-address.ts";
import { type UpstreamsAddress, upstreamsAddress } from "./pages/upstreams/upstreams-address.ts";

/** An unchecked URL state: any of the fields, each a text. */
type AddressText<T> = { [key in keyof T]?: string | undefined } & SearchSchemaInput;

const root = createRootRoute({
  component: AppFrame,
  notFoundComponent: () => (
    <NoSuchPage>
      <Link to="/">overview</Link>
    </NoSuchPage>
  ),
  errorComponent: ({ error }: { error: unknown }) => (
    <FailureNotice wholePage error={error} onRetry={() => location.reload()} />
  ),
});

const overview = createRoute({ getParentRoute: () => root, path: "/", component: OverviewPage });

const config = createRoute({
  getParentRoute: () => root,
  path: "/config",
  validateSearch: (fields: AddressText<ConfigAddress>) => configAddress.parse(fields),
  component: lazyRouteComponent(() => import("./pages/config/config-page.tsx"), "ConfigPage"),
});

const importing = createRoute({
  getParentRoute: () => root,
  path: "/import",
  validateSearch: (fields: AddressText<ImportAddress>) => importAddress.parse(fields),
  component: lazyRouteComponent(() => import("./pages/import/import-page.tsx"), "ImportPage"),
});

const routes = createRoute({
  getParentRoute: () => root,
  path: "/routes",
  validateSearch: (fields: AddressText<RoutesAddress>) => routesAddress.parse(fields),
  component: lazyRouteComponent(() => import("./pages/routes/routes-page.tsx"), "RoutesPage"),
});

const listeners = createRoute({
  getParentRoute: () => root,
  path: "/listeners",
  validateSearch: (fields: AddressText<ListenersAddress>) => listenersAddress.parse(fields),
  component: lazyRouteComponent(() => import("./pages/listeners/listeners-page.tsx"), "ListenersPage"),
});

const upstreams = createRoute({
  getParentRoute: () => root,
  path: "/upstreams",
  validateSearch: (fields: AddressText<UpstreamsAddress>) => upstreamsAddress.parse(fields),
  component: lazyRouteComponent(() => import("./pages/upstreams/upstreams-page.tsx"), "UpstreamsPage"),
});

const certificates = createRoute({
  getParentRoute: () => root,
  path: "/certificates",
  validateSearch: (fields: AddressText<CertificatesAddress>) => certificatesAddress.parse(fields),
  component: lazyRouteComponent(
    () => import("./pages/certificates/certificates-page.tsx"),
    "CertificatesPage",
  ),
});

const history = createRoute({
  getParentRoute: () => root,
  path: "/history",
  validateSearch: (fields: AddressText<HistoryAddress>) => historyAddress.parse(fields),
  component: lazyRouteComponent(() => import("./pages/history/history-page.tsx"), "HistoryPage"),
});

const trying = createRoute({
  getParentRoute: () => root,
  path: "/try",
  validateSearch: (fields: AddressText<TryAddress>) => tryAddress.parse(fields),
  component: lazyRouteComponent(() => import("./pages/try/try-page.tsx"), "TryPage"),
});

/** The console's URLs, all below `/ui/`. */
export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    config,
    importing,
    routes,
    listeners,
    upstreams,
    certificates,
    history,
    trying,
  ]),
  ...routerSettings(),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
