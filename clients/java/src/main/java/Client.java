import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.errors.UnauthorizedException;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Tests a running Switchboard with the official Java library.
 * Settings are read from SWITCHBOARD_URL, SWITCHBOARD_KEY and SWITCHBOARD_MODEL. Prints one `ok` line for each check.
 */
public final class Client {
  private static final String BASE_URL = System.getenv("SWITCHBOARD_URL").replaceAll("/+$", "") + "/ai/openai";
  private static final String MODEL = System.getenv("SWITCHBOARD_MODEL");

  public static void main(String[] arguments) {
    OpenAIClient client = connect(System.getenv("SWITCHBOARD_KEY"));

    List<String> models = client.models().list().data().stream().map(model -> model.id()).toList();
    check("list models", models.contains(MODEL), models);
    check("retrieve model", client.models().retrieve(MODEL).id().equals(MODEL), MODEL);

    ChatCompletion completion = client.chat().completions().create(request(MODEL).build());
    ChatCompletion.Choice choice = completion.choices().get(0);
    check("chat", !choice.message().content().orElse("").isEmpty(), completion);
    check("chat finish reason", Set.of("stop", "length").contains(choice.finishReason().toString()), completion);

    List<ChatCompletionChunk> chunks;
    try (var stream = client.chat().completions().createStreaming(request(MODEL).build())) {
      chunks = stream.stream().toList();
    }
    String text = chunks.stream()
        .flatMap(chunk -> chunk.choices().stream())
        .map(part -> part.delta().content().orElse(""))
        .collect(Collectors.joining());
    check("stream", !text.isEmpty(), chunks);
    check("stream is one reply", chunks.stream().map(ChatCompletionChunk::id).distinct().count() == 1, chunks);

    expect("error: wrong key", UnauthorizedException.class, () -> connect("sk-wrong").models().list());
    expect("error: unknown model", NotFoundException.class,
        () -> client.chat().completions().create(request("no/such-model").build()));
    expect("error: no messages", BadRequestException.class,
        () -> client.chat().completions()
            .create(ChatCompletionCreateParams.builder().model(MODEL).messages(List.of()).build()));
    System.exit(0);
  }

  private static OpenAIClient connect(String key) {
    return OpenAIOkHttpClient.builder().baseUrl(BASE_URL).apiKey(key).timeout(Duration.ofMinutes(2)).build();
  }

  private static ChatCompletionCreateParams.Builder request(String model) {
    return ChatCompletionCreateParams.builder()
        .model(model)
        .addSystemMessage("Answer in one short sentence.")
        .addUserMessage("Say hello.");
  }

  private static void expect(String name, Class<? extends Exception> failure, Runnable call) {
    try {
      call.run();
    } catch (Exception error) {
      check(name, failure.isInstance(error), error);
      return;
    }
    check(name, false, "no failure");
  }

  private static void check(String name, boolean isRight, Object seen) {
    if (!isRight) {
      System.err.println("mismatch in '" + name + "': " + seen);
      System.exit(1);
    }
    System.out.println("ok " + name);
  }
}
