// Navigation between pages of the dashboard. The shell sets the function.

let open = () => {};

/** Sets the function that opens a page. */
export const onNavigate = (work) => (open = work);

/** Opens a page of the dashboard. */
export const navigate = (path) => open(path);
