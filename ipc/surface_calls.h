/*
 * surface_calls - MCP's resources, prompts and completion as calls to workers.
 *
 * A worker offers them as rows of its tool table whose names are listed in
 * policy/tools.def with toolset SURFACE.  Such a row is announced like a tool
 * but never listed and never callable by name: the front calls it when a
 * client asks for the MCP method.  A method whose row no worker offers does not
 * exist and its capability is not advertised.  So the front knows no resource
 * and no prompt; who offers the rows knows nothing of eras, sessions, cursors
 * and caching.
 *
 *	row                       MCP method
 *	resources_list            resources/list
 *	resource_templates_list   resources/templates/list
 *	resource_read             resources/read
 *	prompts_list              prompts/list
 *	prompt_get                prompts/get
 *	complete                  completion/complete
 *
 * Arguments, a map.  The front has checked the types, nothing more; no schema
 * is applied to them (the row's inputSchema is {"type": "object"}).
 *	the lists      {limit: 1..SURFACE_PAGE_MAX, position?: text, basic: bool}
 *	resource_read  {uri: text, basic: bool}
 *	prompt_get     {name: text, arguments: {text: text}, basic: bool}
 *	complete       {ref: {type: "ref/prompt", name: text} or {type:
 *	               "ref/resource", uri: text}, argument: {name, value: text},
 *	               context: {arguments: {text: text}}}
 * basic: the reader's revision is before 2025-06-18, which has no title,
 * annotations.lastModified, icons or _meta; a worker may leave those out.
 *
 * The answer is one RESULT.  Its head holds the members of MCP's result in
 * MCP's own shape, at least one, and neither resultType, _meta, ttlMs,
 * cacheScope nor nextCursor, which the front puts around it:
 *	resources_list           {resources: [{uri, name, title?, description?, mimeType?, size?, annotations?}]}
 *	resource_templates_list  {resourceTemplates: [{uriTemplate, name, title?, description?, mimeType?}]}
 *	resource_read            {contents: [{uri, mimeType, text | blob}]}, never empty
 *	prompts_list             {prompts: [{name, title?, description,
 *	                           arguments?: [{name, title?, description, required}]}]}
 *	prompt_get               {description?, messages: [{role, content}]}
 *	complete                 {completion: {values (at most SURFACE_VALUES_MAX), total?, hasMore?}}
 * The tail of a list holds {next: position} when there is more; that of any
 * other row is empty.  A position is the worker's own text, at most
 * SURFACE_POSITION_MAX bytes; it comes back unchanged and only from the same
 * row, signed in between, but perhaps after the list has changed.  Order is
 * the same from call to call, so that nothing is left out or told twice.
 *
 * resource_read and prompt_get may ask the client first (call_ask() in
 * workers/shared/tool.h); the others may not.
 *
 * When what a worker offers changes, it says so with serve_changed()
 * (workers/shared/child.h), which becomes CHANGED in ipc/messages.def.
 *
 * Failing: a code whose HTTP status is 404 or 409 (page_not_found, …) is
 * "resource not found" to resource_read and invalid parameters to the others;
 * invalid_arguments is invalid parameters; the rest is a JSON-RPC error with
 * the code in its data.  The message is for people and may say what to do.
 */
#pragma once

#define SURFACE_PAGE_MAX	1000u	/* items of one page; clients follow 64 cursors by themselves */
#define SURFACE_PAGE_BYTES	(1u << 20)	/* a page ends after the item that reaches this */
#define SURFACE_URI_MAX		2048u	/* bytes; what has a longer one is neither listed nor found */
#define SURFACE_POSITION_MAX	(SURFACE_URI_MAX + 64u)	/* bytes; a longer one ends the list, with a line in the log */
#define SURFACE_VALUES_MAX	100u	/* values of one completion */
