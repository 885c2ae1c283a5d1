/* surface.c - see fixture.h: resources, prompts and completion (ipc/surface_calls.h). */
#include "base/json/json_write.h"
#include "tests/conformance/fixture.h"
#include "workers/shared/call.h"

static const struct span none = { NULL, 0 };

/* --- resources ------------------------------------------------------------------------------ */

static const struct {
	const char	*uri, *name, *type, *text, *blob;
} resources[] = {
	{ "test://static-text", "Static Text Resource", "text/plain",
	  "This is the content of the static text resource.", NULL },
	{ "test://static-binary", "Static Binary Resource", "image/png", NULL, FIXTURE_PNG },
	{ "test://watched-resource", "Watched Resource", "text/plain", "Watched resource content", NULL },
};

#define NRESOURCES	(sizeof(resources) / sizeof(resources[0]))

int
resources_list(struct call *c, const struct mp_value *args, struct err *err)
{
	struct buf json = { .max = 0 };

	(void)args, (void)err;
	buf_str(&json, "{\"resources\":[");
	for (size_t i = 0; i < NRESOURCES; i++)
		buf_printf(&json, "%s{\"uri\":\"%s\",\"name\":\"%s\",\"mimeType\":\"%s\"}", i > 0 ? "," : "",
		    resources[i].uri, resources[i].name, resources[i].type);
	buf_str(&json, "]}");
	fixture_object(c, buf_cstr(&json));
	buf_fini(&json);
	return 0;
}

int
resource_templates_list(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return fixture_object(c,
	    "{\"resourceTemplates\":[{\"uriTemplate\":\"test://template/{id}/data\","
	    "\"name\":\"Template Resource\",\"mimeType\":\"application/json\"}]}");
}

/* The id in test://template/{id}/data; its p is NULL when uri is none of these. */
static struct span
template_id(struct span uri)
{
	static const char before[] = "test://template/", after[] = "/data";
	const size_t b = sizeof(before) - 1, a = sizeof(after) - 1;

	if (uri.len <= b + a || memcmp(uri.p, before, b) != 0 || memcmp(uri.p + uri.len - a, after, a) != 0)
		return none;
	return span_of(uri.p + b, uri.len - a - b);
}

static int
answer_read(struct call *c, struct span uri, const char *type, const char *member, struct span content)
{
	struct buf json = { .max = 0 };

	buf_str(&json, "{\"contents\":[{\"uri\":");
	json_write_string(&json, uri);
	buf_printf(&json, ",\"mimeType\":\"%s\",\"%s\":", type, member);
	json_write_string(&json, content);
	buf_str(&json, "}]}");
	fixture_object(c, buf_cstr(&json));
	buf_fini(&json);
	return 0;
}

int
resource_read(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span uri = mp_get_str(args, "uri", none), id = template_id(uri);
	struct buf text = { .max = 0 };

	for (size_t i = 0; i < NRESOURCES; i++)
		if (span_is_str(uri, resources[i].uri))
			return resources[i].text != NULL ?
			    answer_read(c, uri, resources[i].type, "text", span_str(resources[i].text)) :
			    answer_read(c, uri, resources[i].type, "blob", span_str(resources[i].blob));
	if (id.p == NULL)
		return err_set(err, ERR_PAGE_NOT_FOUND, "There is no such resource.");
	buf_str(&text, "{\"id\":");
	json_write_string(&text, id);
	buf_str(&text, ",\"templateTest\":true}");
	answer_read(c, uri, "application/json", "text", buf_view(&text));
	buf_fini(&text);
	return 0;
}

/* --- prompts ---------------------------------------------------------------------------------- */

#define ARGUMENT(name)	"{\"name\":\"" name "\",\"description\":\"For tests.\",\"required\":true}"

int
prompts_list(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return fixture_object(c,
	    "{\"prompts\":["
	    "{\"name\":\"test_simple_prompt\",\"description\":\"A prompt without arguments.\"},"
	    "{\"name\":\"test_prompt_with_arguments\",\"description\":\"A prompt with two arguments.\","
	    "\"arguments\":[" ARGUMENT("arg1") "," ARGUMENT(
		"arg2") "]},"
			"{\"name\":\"test_prompt_with_embedded_resource\",\"description\":\"A prompt with a "
			"resource.\","
			"\"arguments\":[" ARGUMENT("resourceUri") "]},"
								  "{\"name\":\"test_prompt_with_image\","
								  "\"description\":\"A prompt with an image.\"},"
								  "{\"name\":\"test_input_required_result_prompt\","
								  "\"description\":\"A prompt that asks first.\"}]}");
}

static int
answer_prompt(struct call *c, struct buf *text)
{
	struct buf json = { .max = 0 };

	buf_str(&json, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
	json_write_string(&json, buf_view(text));
	buf_str(&json, "}}]}");
	fixture_object(c, buf_cstr(&json));
	buf_fini(&json);
	buf_fini(text);
	return 0;
}

static int
prompt_with_arguments(struct call *c, const struct mp_value *given, struct err *err)
{
	struct span one = mp_get_str(given, "arg1", none), two = mp_get_str(given, "arg2", none);
	struct buf text = { .max = 0 };

	if (one.p == NULL || two.p == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "arg1 and arg2 are required.");
	buf_printf(&text, "Prompt with arguments: arg1='%.*s', arg2='%.*s'", SPAN_FMT(one), SPAN_FMT(two));
	return answer_prompt(c, &text);
}

static int
prompt_with_resource(struct call *c, const struct mp_value *given, struct err *err)
{
	struct span uri = mp_get_str(given, "resourceUri", none);
	struct buf json = { .max = 0 };

	if (uri.p == NULL)
		return err_set(err, ERR_INVALID_ARGUMENTS, "resourceUri is required.");
	buf_str(&json, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":");
	json_write_string(&json, uri);
	buf_str(&json,
	    ",\"mimeType\":\"text/plain\",\"text\":\"Embedded resource content for testing.\"}}},"
	    "{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Please process the embedded resource "
	    "above.\"}}]}");
	fixture_object(c, buf_cstr(&json));
	buf_fini(&json);
	return 0;
}

static int
prompt_that_asks(struct call *c)
{
	struct mp_value answer, content;
	struct buf text = { .max = 0 };

	if (!call_asked_answer(c, "user_context", &answer) || !mp_get(&answer, "content", &content))
		return fixture_ask(c,
		    "{\"user_context\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\","
		    "\"message\":\"What context should the prompt use?\",\"requestedSchema\":{\"type\":\"object\","
		    "\"properties\":{\"context\":{\"type\":\"string\"}},\"required\":[\"context\"]}}}}",
		    "");
	buf_str(&text, "Use this context: ");
	buf_span(&text, mp_get_str(&content, "context", none));
	return answer_prompt(c, &text);
}

int
prompt_get(struct call *c, const struct mp_value *args, struct err *err)
{
	struct span name = mp_get_str(args, "name", none);
	struct mp_value given;

	mp_get(args, "arguments", &given);
	if (span_is_str(name, "test_simple_prompt"))
		return fixture_object(c,
		    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
		    "\"text\":\"This is a simple prompt for testing.\"}}]}");
	if (span_is_str(name, "test_prompt_with_arguments"))
		return prompt_with_arguments(c, &given, err);
	if (span_is_str(name, "test_prompt_with_embedded_resource"))
		return prompt_with_resource(c, &given, err);
	if (span_is_str(name, "test_prompt_with_image"))
		return fixture_object(c,
		    "{\"messages\":[{\"role\":\"user\",\"content\":" FIXTURE_IMAGE "},"
		    "{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Please analyze the image "
		    "above.\"}}]}");
	if (span_is_str(name, "test_input_required_result_prompt"))
		return prompt_that_asks(c);
	return err_set(err, ERR_INVALID_ARGUMENTS, "There is no such prompt.");
}

/* --- completion ---------------------------------------------------------------------------------- */

int
complete(struct call *c, const struct mp_value *args, struct err *err)
{
	(void)args, (void)err;
	return fixture_object(c,
	    "{\"completion\":{\"values\":[\"testing\",\"tested\"],\"total\":2,\"hasMore\":false}}");
}
