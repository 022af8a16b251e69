package io.shardsim.scenarios.demo;

import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.ReflectionSupport;
import org.openqa.selenium.TimeoutException;

/** Repeats a test once if the browser, not the page, hung: if it did not answer its driver for three minutes. */
final class OnceMore implements InvocationInterceptor {
    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        attempt(invocation, method);
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        attempt(invocation, method);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        attempt(invocation, method);
    }

    private static void attempt(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method)
            throws Throwable {
        try {
            invocation.proceed();
        } catch (TimeoutException unanswered) {
            TeachingPage.browser.startAgain();
            TeachingPage test = (TeachingPage) method.getTarget().orElseThrow();
            test.open();
            ReflectionSupport.invokeMethod(
                    method.getExecutable(), test, method.getArguments().toArray());
        }
    }
}
