@echo off
rem Starts shardsim with Java 17 or newer from JAVA_HOME or PATH. SHARDSIM_JAVA_OPTS has further options for the JVM.
setlocal
set "JAVA=java"
if defined JAVA_HOME set "JAVA=%JAVA_HOME%\bin\java"
where /q "%JAVA%" 2>nul || if not exist "%JAVA%.exe" (
  echo shardsim: needs Java 17 or newer. Install it, or set JAVA_HOME. 1>&2
  exit /b 1
)
"%JAVA%" "@%~dp0..\lib\java.options" %SHARDSIM_JAVA_OPTS% -jar "%~dp0..\lib\shardsim.jar" %*
