import "./service-menu.css";
import { lazy, type Ref, Suspense, useImperativeHandle, useState } from "react";
import { Loading } from "../../components/loading.tsx";
import type { ServiceCount } from "../../trace/summarise-trace.ts";

const ServiceList = lazy(() => import("./search-parts.ts").then((file) => ({ default: file.ServiceList })));

/** Id of the menu. Buttons that open it refer to it. */
export const serviceMenuId = "service-menu";

/** The content of the menu. */
export interface ShownServices {
  /** Name of the trace, or of all found traces. */
  of: string;
  /** The trace that a click opens; undefined: a click searches for the service. */
  traceId?: string;
  /** The services, most spans first. */
  services: readonly ServiceCount[];
}

/** Functions of the menu for the buttons that open it. */
export interface ServiceMenuHandle {
  /** Sets what the menu shows. The browser opens the menu at the clicked button. */
  show: (shown: ShownServices) => void;
}

/**
 * The menu with all services of one trace, or of all found traces. One menu serves all rows, and holds its own state: a
 * click renders no row again. The list is loaded when the menu first opens.
 */
export function ServiceMenu(props: {
  ref: Ref<ServiceMenuHandle>;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
}) {
  const [shown, setShown] = useState<ShownServices>();
  useImperativeHandle(props.ref, () => ({ show: setShown }), []);
  return (
    <div
      id={serviceMenuId}
      className="service-menu"
      popover="auto"
      onToggle={(event) => event.newState === "closed" && setShown(undefined)}
    >
      {shown !== undefined && (
        <Suspense fallback={<Loading>Opening…</Loading>}>
          <ServiceList {...{ shown }} hues={props.hues} />
        </Suspense>
      )}
    </div>
  );
}
