import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  redirect,
  type SearchSchemaInput,
  stripSearchParams,
} from "@tanstack/react-router";
import { NoSuchPage } from "ui-kit/components/no-such-page.tsx";
import { routerSettings } from "ui-kit/search-parameters.ts";
import { AppFrame } from "./app-frame.tsx";
import { FailureNotice } from "./components/failure-notice.tsx";
import { comparedIds, fieldsOf, searchFields, traceFields } from "./links/jaeger-links.ts";
import {
  type ChangesAddress,
  changesAddress,
  defaultChangesAddress,
} from "./pages/changes/changes-address.ts";
import { type CompareAddress, compareAddress } from "./pages/compare/compare-address.ts";
import {
  type DependenciesAddress,
  defaultDependenciesAddress,
  dependenciesAddress,
} from "./pages/dependencies/dependencies-address.ts";
import {
  defaultExceptionsAddress,
  type ExceptionsAddress,
  exceptionsAddress,
} from "./pages/exceptions/exceptions-address.ts";
import { defaultModelsAddress, type ModelsAddress, modelsAddress } from "./pages/models/models-address.ts";
import {
  defaultObjectivesAddress,
  type ObjectivesAddress,
  objectivesAddress,
} from "./pages/objectives/objectives-address.ts";
import {
  defaultServicesAddress,
  type ServicesAddress,
  servicesAddress,
} from "./pages/services/services-address.ts";
import { type TraceAddress, traceAddress } from "./pages/trace/trace-address.ts";
import { defaultAddress, lookbacks, type SearchAddress, searchAddress } from "./searches/search-address.ts";
import { traceIdInText } from "./trace/trace-id-in-text.ts";

/** An unchecked address: any of its fields, each a text. */
type AddressText<T> = { [key in keyof T]?: string | undefined } & SearchSchemaInput;

/** True when the search page offers this `lookback`. Other values are converted to start and end. */
function isLookback(lookback: string): boolean {
  return lookback === "custom" || lookbacks.some(({ value }) => value === lookback);
}

const root = createRootRoute({
  component: AppFrame,
  notFoundComponent: () => (
    <NoSuchPage>
      <Link to="/search">search</Link>
    </NoSuchPage>
  ),
  errorComponent: ({ error }: { error: unknown }) => (
    <FailureNotice wholePage error={error} onRetry={() => location.reload()} />
  ),
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/search", replace: true });
  },
});

const search = createRoute({
  getParentRoute: () => root,
  path: "/search",
  validateSearch: (fields: AddressText<SearchAddress>) =>
    searchAddress.parse(searchFields(fields, isLookback, Date.now() * 1_000)),
  search: { middlewares: [stripSearchParams(defaultAddress)] },
  component: lazyRouteComponent(() => import("./pages/search/search-page.tsx"), "SearchPage"),
});

const services = createRoute({
  getParentRoute: () => root,
  path: "/services",
  validateSearch: (fields: AddressText<ServicesAddress>) => servicesAddress.parse(fields),
  search: { middlewares: [stripSearchParams(defaultServicesAddress)] },
  component: lazyRouteComponent(() => import("./pages/services/services-page.tsx"), "ServicesPage"),
});

const objectives = createRoute({
  getParentRoute: () => root,
  path: "/objectives",
  validateSearch: (fields: AddressText<ObjectivesAddress>) => objectivesAddress.parse(fields),
  search: { middlewares: [stripSearchParams(defaultObjectivesAddress)] },
  component: lazyRouteComponent(() => import("./pages/objectives/objectives-page.tsx"), "ObjectivesPage"),
});

const usage = createRoute({
  getParentRoute: () => root,
  path: "/usage",
  validateSearch: (fields: AddressText<ServicesAddress>) => servicesAddress.parse(fields),
  search: { middlewares: [stripSearchParams(defaultServicesAddress)] },
  component: lazyRouteComponent(() => import("./pages/usage/usage-page.tsx"), "UsagePage"),
});

const dependencies = createRoute({
  getParentRoute: () => root,
  path: "/dependencies",
  validateSearch: (fields: AddressText<DependenciesAddress>) => dependenciesAddress.parse(fields),
  search: { middlewares: [stripSearchParams(defaultDependenciesAddress)] },
  component: lazyRouteComponent(
    () => import("./pages/dependencies/dependencies-page.tsx"),
    "DependenciesPage",
  ),
});

const exceptions = createRoute({
  getParentRoute: () => root,
  path: "/exceptions",
  validateSearch: (fields: AddressText<ExceptionsAddress>) => exceptionsAddress.parse(fields),
  search: { middlewares: [stripSearchParams(defaultExceptionsAddress)] },
  component: lazyRouteComponent(() => import("./pages/exceptions/exceptions-page.tsx"), "ExceptionsPage"),
});

const models = createRoute({
  getParentRoute: () => root,
  path: "/models",
  validateSearch: (fields: AddressText<ModelsAddress>) => modelsAddress.parse(fields),
  search: { middlewares: [stripSearchParams(defaultModelsAddress)] },
  component: lazyRouteComponent(() => import("./pages/models/models-page.tsx"), "ModelsPage"),
});

const trace = createRoute({
  getParentRoute: () => root,
  path: "/trace/$traceId",
  validateSearch: (fields: AddressText<TraceAddress>) => traceAddress.parse(traceFields(fields)),
  beforeLoad: ({ params }) => {
    const compared = comparedIds(params.traceId);
    if (compared !== undefined) {
      throw redirect({ to: "/compare", search: compared, replace: true });
    }
    // A link made by hand may contain a blank, or the id in the format of another system.
    const traceId = traceIdInText(params.traceId);
    if (traceId !== undefined && traceId !== params.traceId.toLowerCase()) {
      throw redirect({ to: "/trace/$traceId", params: { traceId }, search: true, replace: true });
    }
  },
  component: lazyRouteComponent(() => import("./pages/trace/trace-page.tsx"), "TracePage"),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: (fields: AddressText<CompareAddress>) => compareAddress.parse(fields),
  component: lazyRouteComponent(() => import("./pages/compare/compare-page.tsx"), "ComparePage"),
});

const changes = createRoute({
  getParentRoute: () => root,
  path: "/changes",
  validateSearch: (fields: AddressText<ChangesAddress>) => changesAddress.parse(fields),
  search: { middlewares: [stripSearchParams(defaultChangesAddress)] },
  component: lazyRouteComponent(() => import("./pages/changes/changes-page.tsx"), "ChangesPage"),
});

/** Addresses of Jaeger's UI for pages that have another address in this app. */
const elsewhere = [
  createRoute({
    getParentRoute: () => root,
    path: "/monitor",
    validateSearch: (fields: AddressText<ServicesAddress>) => servicesAddress.parse(fields),
    beforeLoad: ({ search }) => {
      throw redirect({ to: "/services", search: { service: search.service }, replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/system-architecture",
    beforeLoad: () => {
      throw redirect({ to: "/dependencies", replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/deep-dependencies",
    validateSearch: (fields: AddressText<ServicesAddress>) => servicesAddress.parse(fields),
    beforeLoad: ({ search }) => {
      throw redirect({ to: "/dependencies", search: { focus: search.service }, replace: true });
    },
  }),
];

/**
 * The app's routes. Search parameters are plain texts, without the router's default JSON quoting,
 * so that links are readable and links of Jaeger's UI work.
 */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    search,
    services,
    exceptions,
    models,
    objectives,
    usage,
    dependencies,
    trace,
    compare,
    changes,
    ...elsewhere,
  ]),
  ...routerSettings(),
  parseSearch: fieldsOf,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
