from shardsim_tool import main

main()
